import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A tape library of SCSI over iSCSI on this host alone, made by Debian's `tgt` in user space: no kernel module, no device
 * node, no rights needed. It is a target that others wrote, so what works with it does not only agree with itself.
 *
 * What it gets wrong stands in docs/tape.md. Unit 0 is a controller, drives are units 1 to `drives`, the robot comes next.
 * Element addresses: drives from 1, the robot 16, mail slots from 768, storage slots from 1024.
 */
export interface TapeLibraryLab {
  readonly address: '127.0.0.1';
  readonly port: number;
  readonly iqn: string;
  readonly changerLun: number;
  /** Where the cartridges lie, each a file named by its barcode. */
  readonly mediaFolder: string;
  readonly pid: number;
  path(lun: number): string;
  /** Runs tgtadm with these arguments, as an operator would; gives its output. */
  adm(...args: readonly string[]): Promise<string>;
  /** Puts a cartridge (its file must exist) at an address by hand, or takes one out (`null`). */
  place(kind: 'storage' | 'mail', address: number, barcode: string | null): Promise<void>;
  makeCartridge(barcode: string, type?: 'data' | 'clean' | 'worm'): Promise<void>;
  setReadOnly(driveLun: number, isReadOnly: boolean): Promise<void>;
  /** Cuts all connections of initiators; gives how many there were. */
  cutConnections(): Promise<number>;
  /** Lets the target stand still, so that it answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Dies at once, as if by a power cut; the cartridges stay. */
  kill(): Promise<void>;
  /** After `kill`: all cartridges are back in their first slots. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TapeLibraryOptions {
  readonly slots?: number;
  readonly drives?: number;
  /** All drives tell this serial number, as devices do that have none of their own. */
  readonly driveSerial?: string;
  readonly mail?: number;
  /** In the first storage slots, at most 10 characters each. */
  readonly barcodes?: readonly string[];
  /** Where the end of a tape begins. */
  readonly cartridgeMb?: number;
  /** Beyond it writing fails; below `cartridgeMb` the failure is told as one. */
  readonly hardEndMb?: number;
  readonly chap?: { readonly user: string; readonly password: string };
  /**
   * Unless told 8 KiB at a time, each after a request for it. `big`: PDUs of 256 KiB, the first of a write without a request.
   * `unasked`: 8 KiB at a time, the first 64 KiB of a write without a request.
   */
  readonly transfer?: 'big' | 'unasked';
}

const run = promisify(execFile);
const searchPath = `${process.env.PATH}:/usr/sbin:/sbin`;
const tunings = {
  big: [
    'MaxRecvDataSegmentLength=262144',
    'InitialR2T=No',
    'FirstBurstLength=262144',
    'MaxBurstLength=1048576',
  ],
  unasked: ['MaxRecvDataSegmentLength=8192', 'InitialR2T=No', 'FirstBurstLength=65536'],
} as const;
const elementType = { storage: 2, mail: 3 } as const;

/** Fails with the reason when the lab cannot be started here: its tests must not pass unseen. */
export async function startTapeLibrary(options: TapeLibraryOptions = {}): Promise<TapeLibraryLab> {
  if (process.platform !== 'linux') throw new Error('the tape library of the lab runs on Linux only');
  for (const tool of ['tgtd', 'tgtadm', 'tgtimg']) {
    await run('sh', ['-c', `command -v ${tool}`], { env: { PATH: searchPath } }).catch(() => {
      throw new Error(`${tool} is not installed: run scripts/setup test, which installs tgt`);
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'tape-'));
  const mediaFolder = join(folder, 'media');
  await mkdir(mediaFolder);
  const smc = await open(join(folder, 'smc'), 'w');
  await smc.truncate(1024);
  await smc.close();
  const port = await freePort();
  const control = String(port % 32_000);
  const iqn = `iqn.2026-11.example.lab:tape-${port}`;
  const drives = options.drives ?? 2;
  const changerLun = drives + 1;
  const barcodes = options.barcodes ?? ['A00001L8', 'A00002L8', 'A00003L8', 'A00004L8'];
  const env = { PATH: searchPath, TGT_IPC_SOCKET: join(folder, 'ctl') };
  let daemon: ChildProcess | null = null;

  const adm = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('tgtadm', ['--control-port', control, '--lld', 'iscsi', ...args], { env });
    return stdout;
  };
  const unit = (...args: readonly string[]) => adm('--mode', 'logicalunit', '--tid', '1', ...args);
  const changer = (params: string) => unit('--op', 'update', '--lun', String(changerLun), '--params', params);

  const makeCartridge = async (barcode: string, type = 'data'): Promise<void> => {
    const size = String(options.cartridgeMb ?? 64);
    const file = join(mediaFolder, barcode);
    const what = ['--op', 'new', '--device-type', 'tape', '--barcode', barcode, '--size', size];
    await run('tgtimg', [...what, '--type', type, '--file', file], { env });
  };
  const setUp = async (): Promise<void> => {
    await adm('--op', 'new', '--mode', 'target', '--tid', '1', '-T', iqn);
    for (let lun = 1; lun <= drives; lun += 1) {
      // Without a file the drive starts empty.
      await unit('--op', 'new', '--lun', String(lun), '--device-type', 'tape', '--bstype', 'ssc');
      const about = `vendor_id=LAB,product_id=TAPE-DRIVE,product_rev=0001,scsi_sn=${options.driveSerial ?? `DRV0000${lun}`},removable=1`;
      await unit('--op', 'update', '--lun', String(lun), '--params', about);
    }
    const own = ['--lun', String(changerLun), '--device-type', 'changer', '--bstype', 'smc'];
    await unit('--op', 'new', ...own, '-b', join(folder, 'smc'));
    await changer('vendor_id=LAB,product_id=TAPE-LIBRARY,product_rev=0001,scsi_sn=LIB00001,removable=1');
    await changer(`media_home=${mediaFolder}`);
    await changer('element_type=1,start_address=16,quantity=1');
    await changer(`element_type=4,start_address=1,quantity=${drives}`);
    for (let lun = 1; lun <= drives; lun += 1)
      await changer(`element_type=4,address=${lun},tid=1,lun=${lun}`);
    await changer(`element_type=2,start_address=1024,quantity=${options.slots ?? 8}`);
    const mail = options.mail ?? 1;
    if (mail > 0) await changer(`element_type=3,start_address=768,quantity=${mail}`);
    for (const [index, barcode] of barcodes.entries()) {
      await changer(`element_type=2,address=${1024 + index},barcode=${barcode},sides=1`);
    }
    if (options.chap) {
      const { user, password } = options.chap;
      await adm('--op', 'new', '--mode', 'account', '--user', user, '--password', password);
      await adm('--op', 'bind', '--mode', 'account', '--tid', '1', '--user', user);
    }
    for (const setting of options.transfer ? tunings[options.transfer] : []) {
      const [key = '', value = ''] = setting.split('=');
      await adm('--op', 'update', '--mode', 'target', '--tid', '1', '-n', key, '-v', value);
    }
    await adm('--op', 'bind', '--mode', 'target', '--tid', '1', '-I', '127.0.0.1');
  };
  const start = async (): Promise<void> => {
    // SIGXFSZ would end the daemon at the limit; ignored, its writes fail instead.
    const limit = options.hardEndMb ? `trap '' XFSZ; ulimit -f ${options.hardEndMb * 1024}; ` : '';
    const command = `${limit}exec tgtd -f --control-port ${control} --iscsi portal=127.0.0.1:${port}`;
    const log = await open(join(folder, 'log'), 'a');
    daemon = spawn('bash', ['-c', command], { env, stdio: ['ignore', log.fd, log.fd] });
    await log.close();
    for (let attempt = 0; ; attempt += 1) {
      const isUp = await adm('--op', 'show', '--mode', 'system').then(
        () => true,
        () => false,
      );
      if (isUp) break;
      if (daemon.exitCode === null && attempt < 200) continue;
      const said = await readFile(join(folder, 'log'), 'utf8');
      throw new Error(`tgtd did not start: ${said.slice(-500)}`);
    }
    await setUp();
  };
  const kill = async (): Promise<void> => {
    if (daemon === null || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const gone = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await gone;
  };
  const stop = async (): Promise<void> => {
    process.off('exit', endDaemon);
    await kill();
    await rm(folder, { recursive: true, force: true });
  };
  const endDaemon = (): void => {
    daemon?.kill('SIGKILL');
  };
  // A daemon must not outlive a test that was ended.
  process.on('exit', endDaemon);

  try {
    for (const barcode of barcodes) {
      await makeCartridge(barcode, barcode.startsWith('CLN') ? 'clean' : 'data');
    }
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address: '127.0.0.1',
    port,
    iqn,
    changerLun,
    mediaFolder,
    get pid() {
      return daemon?.pid ?? 0;
    },
    path: (lun) => `iscsi://127.0.0.1:${port}/${iqn}/${lun}`,
    adm,
    place: async (kind, address, barcode) => {
      const at = `element_type=${elementType[kind]},address=${address}`;
      await changer(barcode === null ? `${at},clear_slot=1` : `${at},barcode=${barcode},sides=1`);
    },
    makeCartridge,
    setReadOnly: async (driveLun, isReadOnly) => {
      await unit('--op', 'update', '--lun', String(driveLun), '--params', `readonly=${isReadOnly ? 1 : 0}`);
    },
    cutConnections: async () => {
      const shown = await adm('--op', 'show', '--mode', 'conn', '--tid', '1');
      const sessions = [...shown.matchAll(/Session: (\d+)\s+Connection: (\d+)/g)];
      for (const [, sid = '', cid = ''] of sessions) {
        try {
          await adm('--op', 'delete', '--mode', 'conn', '--tid', '1', '--sid', sid, '--cid', cid);
        } catch (error) {
          // One that has ended by itself meanwhile is cut as well.
          const now = await adm('--op', 'show', '--mode', 'conn', '--tid', '1');
          if (new RegExp(`Session: ${sid}\\s`).test(now)) throw error;
        }
      }
      return sessions.length;
    },
    freeze: () => void daemon?.kill('SIGSTOP'),
    thaw: () => void daemon?.kill('SIGCONT'),
    kill,
    restart: async () => {
      await rm(join(folder, `ctl.${control}`), { force: true });
      await rm(join(folder, `ctl.${control}.lock`), { force: true });
      await writeFile(join(folder, 'smc'), Buffer.alloc(1024));
      await start();
    },
    stop,
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
