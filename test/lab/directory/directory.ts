import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { makeAuthority, makeCertificate, type Pair } from './certificates.ts';
import { startTlsFronts, type TlsFronts } from './tls-fronts.ts';

/** A real domain controller (Samba) on one loopback address, filled with users of every awkward kind. */
export interface DirectoryLab {
  /** An address of 127/8; LDAP is on 389 and LDAPS on 636 of it. */
  readonly address: string;
  /** Certificate of the lab's authority, which signs the server's. */
  readonly authority: string;
  readonly foreignAuthority: string;
  /** A certificate that the front end on `mutualPort` asks for. */
  readonly client: Pair;
  readonly stranger: Pair;
  readonly ports: TlsFronts['ports'];
  /** Puts a user into a group, or takes it out, as the administrator of the domain would. */
  changeMember(change: 'add' | 'delete', group: string, user: string): Promise<void>;
  /** Renames a user, which changes its DN and nothing else. */
  renameUser(from: string, to: string): Promise<void>;
  deleteUser(user: string): Promise<void>;
  stop(): Promise<void>;
}

export const directory = {
  domain: 'lab.example',
  shortDomain: 'LAB',
  base: 'DC=lab,DC=example',
  login: 'CN=svc-bind,OU=Service,DC=lab,DC=example',
  password: 'Svc-Bind!2026',
  userPassword: 'User-Pass!2026',
} as const;

const administratorPassword = 'Adm1n-Lab!pass';
const readyWithinMs = 30_000;

/** Why the lab cannot be started here, or null. */
export function whyNoDirectory(): string | null {
  if (process.platform !== 'linux') return 'the domain controller of the lab runs on Linux only';
  if (process.getuid?.() !== 0) return 'only root may make a domain controller on its ports';
  const probe = spawnSync('samba', ['--version'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  return probe.error === undefined ? null : 'samba is not installed (scripts/setup test installs it)';
}

export async function startDirectory(): Promise<DirectoryLab> {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-directory-'));
  const address = await freeAddress();
  provision(folder, address);
  const tls = makeCertificates(folder, address);
  const samba = await startSamba(folder, address);
  const fronts = await startTlsFronts(address, tls);
  const asAdministrator = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client({ url: `ldaps://${address}:636`, tlsOptions: { ca: [tls.authority.cert] } });
    await client.bind('Administrator@lab.example', administratorPassword);
    await work(client);
    await client.unbind();
  };
  return {
    address,
    authority: tls.authority.cert,
    foreignAuthority: tls.foreign.cert,
    client: tls.client,
    stranger: tls.stranger,
    ports: fronts.ports,
    changeMember: (change, group, user) =>
      asAdministrator((client) => {
        const modification = new Attribute({ type: 'member', values: [personDn(user)] });
        const changes = new Change({ operation: change, modification });
        return client.modify(`CN=${group},OU=Groups,${directory.base}`, changes);
      }),
    renameUser: (from, to) => asAdministrator((client) => client.modifyDN(personDn(from), `CN=${to}`)),
    deleteUser: (user) => asAdministrator((client) => client.del(personDn(user))),
    stop: async () => {
      await fronts.stop();
      await end(samba);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function personDn(user: string): string {
  return `CN=${user},OU=People,${directory.base}`;
}

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

function sambaTool(args: readonly string[]): void {
  execFileSync('samba-tool', [...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** The ports of LDAP are fixed, so labs that run beside each other have addresses of their own. */
async function freeAddress(): Promise<string> {
  for (let last = 10; last < 250; last += 1) {
    const address = `127.0.0.${last}`;
    const probe = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(636, address, () => resolve(true));
    });
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return address;
  }
  throw new Error('no loopback address has its LDAP ports free');
}

function provision(folder: string, address: string): void {
  writeFileSync(join(folder, 'base.conf'), '[global]\n');
  sambaTool([
    ...['domain', 'provision', '-s', join(folder, 'base.conf'), `--targetdir=${join(folder, 'dc')}`],
    ...['--realm=LAB.EXAMPLE', '--domain=LAB', '--server-role=dc', '--dns-backend=NONE'],
    ...['--host-name=dc1', `--host-ip=${address}`, '--base-schema=2012_R2'],
    ...[`--adminpass=${administratorPassword}`, `--option=posix:eadb=${join(folder, 'dc', 'eadb.tdb')}`],
  ]);
  execFileSync(
    '/usr/bin/python3',
    [
      join(import.meta.dirname, 'fill.py'),
      join(folder, 'dc', 'etc', 'smb.conf'),
      join(folder, 'dc', 'private', 'sam.ldb'),
    ],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

function makeCertificates(folder: string, address: string) {
  const place = join(folder, 'tls');
  mkdirSync(place, { mode: 0o700 });
  const authority = makeAuthority(place, 'authority');
  const foreign = makeAuthority(place, 'foreign');
  const server = (name: string, alternative: string, days?: number): Pair =>
    makeCertificate(place, {
      name,
      authority: 'authority',
      extensions: [`subjectAltName=${alternative}`, 'extendedKeyUsage=serverAuth'],
      ...(days === undefined ? {} : { days }),
    });
  const own = `DNS:dc1.lab.example,DNS:localhost,IP:${address}`;
  const client = (name: string, by: string): Pair =>
    makeCertificate(place, { name, authority: by, extensions: ['extendedKeyUsage=clientAuth'] });
  return {
    authority,
    foreign,
    server: server('server', own),
    wrongHost: server('wrong-host', 'DNS:elsewhere.example'),
    expired: server('expired', own, 0),
    client: client('client', 'authority'),
    stranger: client('stranger', 'foreign'),
  };
}

async function startSamba(folder: string, address: string): Promise<ChildProcess> {
  const dc = join(folder, 'dc');
  for (const name of ['run', 'log', 'ncalrpc']) mkdirSync(join(folder, name));
  const settings: Readonly<Record<string, string>> = {
    'netbios name': 'DC1',
    realm: 'LAB.EXAMPLE',
    workgroup: 'LAB',
    'server role': 'active directory domain controller',
    'server services': 'ldap',
    'bind interfaces only': 'Yes',
    interfaces: `${address}/8`,
    'private dir': join(dc, 'private'),
    'state directory': join(dc, 'state'),
    'cache directory': join(dc, 'cache'),
    'lock directory': dc,
    'binddns dir': join(dc, 'bind-dns'),
    'pid directory': join(folder, 'run'),
    'ncalrpc dir': join(folder, 'ncalrpc'),
    'winbindd socket directory': join(folder, 'run', 'winbindd'),
    'ntp signd socket directory': join(folder, 'run', 'ntp'),
    'log file': join(folder, 'log', 'samba.log'),
    'tls enabled': 'yes',
    'tls certfile': join(folder, 'tls', 'server.crt'),
    'tls keyfile': join(folder, 'tls', 'server.key'),
    'tls cafile': join(folder, 'tls', 'authority.crt'),
    // The plain form is tested too; a real controller decides this for itself.
    'ldap server require strong auth': 'no',
    'posix:eadb': join(dc, 'eadb.tdb'),
  };
  const lines = Object.entries(settings).map(([name, value]) => ` ${name} = ${value}`);
  writeFileSync(join(folder, 'smb.conf'), `[global]\n${lines.join('\n')}\n`);
  const samba = spawn(
    'samba',
    [
      '-F',
      '-M',
      'single',
      '--no-process-group',
      `--log-basename=${join(folder, 'log')}`,
      '-s',
      join(folder, 'smb.conf'),
    ],
    { env, stdio: 'ignore', detached: true },
  );
  const until = performance.now() + readyWithinMs;
  while (!((await answers(address, 389)) && (await answers(address, 636)))) {
    if (samba.exitCode !== null || performance.now() > until) {
      await end(samba);
      throw new Error(`the domain controller of the lab did not come up; see ${join(folder, 'log')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return samba;
}

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, address);
    const done = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** With all that it has started: it leads a process group of its own. */
async function end(samba: ChildProcess): Promise<void> {
  if (samba.pid === undefined || samba.exitCode !== null || samba.signalCode !== null) return;
  const gone = once(samba, 'exit');
  process.kill(-samba.pid, 'SIGKILL');
  await gone;
}
