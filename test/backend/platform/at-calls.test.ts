import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atCalls, type ItemLook, nodeCalls } from '../../../backend/platform/at-calls.ts';
import { type ByteString, fsPath } from '../../../backend/platform/byte-path.ts';
import { nativeState } from '../../../backend/platform/native.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const calls = atCalls();
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants;

let temp: Awaited<ReturnType<typeof makeTempDir>>;
let folder: number;
/** Not UTF-8: bytes as they are. */
const oddName: ByteString = 'name \xff\xe9 [1]*';
const child = (name: ByteString): ByteString => `/proc/self/fd/${folder}/${name}`;

const plain = (look: ItemLook) => ({
  mode: look.mode,
  links: look.links,
  uid: look.uid,
  gid: look.gid,
  sizeBytes: look.sizeBytes,
  allocatedBytes: look.allocatedBytes,
  device: look.device,
  inode: look.inode,
  rdev: look.rdev,
  mtimeNs: look.mtimeNs,
  ctimeNs: look.ctimeNs,
  inodeNumber: look.inodeNumber,
  ctimeSeconds: look.ctimeSeconds,
  ctimeRestNs: look.ctimeRestNs,
});
/** Told exactly from 1970 on. */
const modified = ({ mtimeSeconds, mtimeRestNs, mtimeNs }: ItemLook) => ({
  mtimeSeconds,
  mtimeRestNs,
  mtimeNs,
});
const codeOf = (act: () => unknown): unknown => {
  try {
    act();
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

beforeAll(async () => {
  temp = await makeTempDir('at-calls');
  folder = fs.openSync(temp.path, O_RDONLY | O_DIRECTORY);
  fs.writeFileSync(fsPath(child(oddName)), 'some bytes');
  fs.linkSync(fsPath(child(oddName)), fsPath(child('second')));
  fs.symlinkSync('nowhere', path.join(temp.path, 'link'));
  fs.mkdirSync(path.join(temp.path, 'sub'));
  // Holes, a size beyond 32 bits, a time before 1970 and one with nanoseconds.
  fs.writeFileSync(path.join(temp.path, 'large'), '');
  fs.truncateSync(path.join(temp.path, 'large'), 5_000_000_000);
  // Node's own call takes a time before 1970 for now.
  const state = nativeState();
  if (state.available) state.calls.setTimes(child('large'), -1_500_000_000n, -1_500_000_000n);
  fs.utimesSync(path.join(temp.path, 'second'), 1_700_000_000.123456, 1_700_000_000.123456);
});
afterAll(async () => {
  fs.closeSync(folder);
  await temp.remove();
});

describe.runIf(process.platform === 'linux')("the system's own calls", () => {
  it('are the ones that are used here', () => {
    expect(calls).not.toBe(nodeCalls);
  });

  it.each([oddName, 'second', 'link', 'sub', 'large'])("see %j as Node's calls do", (name) => {
    expect(plain(calls.look(child(name)))).toEqual(plain(nodeCalls.look(child(name))));
  });

  it.each([oddName, 'second', 'link', 'sub', 'large'])('see %j in its folder, as by its path', (name) => {
    expect(plain(calls.lookIn(folder, name))).toEqual(plain(nodeCalls.look(child(name))));
    expect(plain(nodeCalls.lookIn(folder, name))).toEqual(plain(nodeCalls.look(child(name))));
  });

  it('tell times as plain numbers too', () => {
    for (const name of [oddName, 'link', 'sub']) {
      const seen = modified(calls.lookIn(folder, name));
      expect(seen).toEqual(modified(nodeCalls.lookIn(folder, name)));
      expect(BigInt(seen.mtimeSeconds) * 1_000_000_000n + BigInt(seen.mtimeRestNs)).toBe(seen.mtimeNs);
    }
    const { mtimeSeconds, mtimeRestNs } = calls.lookIn(folder, 'large');
    expect([mtimeSeconds, mtimeRestNs]).toEqual([-2, 500_000_000]);
  });

  it.each([
    ['none', 'ENOENT'],
    ['x'.repeat(256), 'ENAMETOOLONG'],
    ['x'.repeat(5000), 'ENAMETOOLONG'],
  ])('refuse to look at %j in a folder with a code', (name, code) => {
    expect(codeOf(() => calls.lookIn(folder, name))).toBe(code);
    expect(codeOf(() => calls.lookIn(-1, 'second'))).toBe('EBADF');
  });

  it('list a folder as the system does, again and again, in the order of the bytes', () => {
    const many = path.join(temp.path, 'many');
    fs.mkdirSync(many);
    // More than is listed at once, and names of every length, with bytes that are no text and dots in front.
    const lengths = Array.from({ length: 255 }, (_, index) => 'n'.repeat(index + 1));
    for (const name of ['.hidden', '..two', '...', '\xff\xfe', '\xc3\x84', 'A', 'a', ...lengths])
      fs.writeFileSync(fsPath(`${many}/${name}`), '');
    const fd = fs.openSync(many, O_RDONLY);
    const expected = fs.readdirSync(many, { encoding: 'latin1' }).sort();
    expect(expected).toHaveLength(262);
    expect(calls.names(fd)).toEqual(expected);
    expect(calls.names(fd)).toEqual(expected);
    expect(nodeCalls.names(fd)).toEqual(expected);
    fs.closeSync(fd);
    expect(codeOf(() => calls.names(fd))).toBe('EBADF');
    const file = fs.openSync(path.join(temp.path, 'large'), O_RDONLY);
    expect(codeOf(() => calls.names(file))).toBe('ENOTDIR');
    fs.closeSync(file);
    fs.rmSync(many, { recursive: true });
  });

  it.each(['/dev/null', '/', '/etc/passwd', '/proc/self/status'])('see %s, by its whole path', (file) => {
    const [one, other] = [plain(calls.look(file)), plain(nodeCalls.look(file))];
    // Each look at what the kernel makes up may find another time.
    if (file.startsWith('/proc/')) expect(one.device).toBe(other.device);
    else expect(one).toEqual(other);
  });

  it('see an open file, and never follow a link', () => {
    const fd = calls.open(child('large'), O_RDONLY | O_NOFOLLOW, 0);
    expect(plain(calls.lookAtOpen(fd))).toEqual(plain(nodeCalls.lookAtOpen(fd)));
    calls.close(fd);
    expect(codeOf(() => calls.open(child('link'), O_RDONLY | O_NOFOLLOW, 0))).toBe('ELOOP');
    expect(codeOf(() => calls.lookAtOpen(fd))).toBe('EBADF');
  });

  it('make, write and rename a file of any name, and hand nothing on to programs', () => {
    const fd = calls.open(child('part'), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    expect(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')).toMatch(/flags:\s+0?2\d{6}/);
    fs.writeSync(fd, 'whole');
    calls.rename(child('part'), child(oddName));
    calls.close(fd);
    expect(fs.readFileSync(fsPath(child(oddName)), 'utf8')).toBe('whole');
    expect(fs.readdirSync(temp.path)).not.toContain('part');
  });

  it("make a folder as Node's call does", () => {
    calls.makeFolder(child(`${oddName} folder`), 0o711);
    nodeCalls.makeFolder(child('by node'), 0o711);
    const made = [`${oddName} folder`, 'by node'].map((name) => calls.look(child(name)).mode);
    expect(made[0]).toBe(made[1]);
    expect(codeOf(() => calls.makeFolder(child('by node'), 0o700))).toBe('EEXIST');
    expect(codeOf(() => calls.makeFolder(child('link'), 0o700))).toBe('EEXIST');
    expect(codeOf(() => calls.makeFolder(child('none/none'), 0o700))).toBe('ENOENT');
  });

  it.each([
    ['none', 'ENOENT'],
    ['none/none', 'ENOENT'],
    [`${'x'.repeat(256)}`, 'ENAMETOOLONG'],
    [`${'x'.repeat(5000)}`, 'ENAMETOOLONG'],
    ['second/none', 'ENOTDIR'],
    ['nul\0byte', 'EINVAL'],
  ])('refuse %j with a code', (name, code) => {
    expect(codeOf(() => calls.look(child(name)))).toBe(code);
    expect(codeOf(() => calls.open(child(name), O_RDONLY, 0))).toBe(code);
    expect(codeOf(() => calls.rename(child(name), child('to')))).toBe(code);
  });
});
