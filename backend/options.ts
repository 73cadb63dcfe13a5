import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { errorCode } from './platform/native.ts';

/** What the backend is started with. */
export interface Options {
  readonly dataDir: string;
  readonly host: string;
  /** `null`: the usual port, or a free one when it is taken. 0: a free one. */
  readonly port: number | null;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly insecureHttp: boolean;
  readonly databaseUrl: string | null;
  /** Where samples of copies are restored to be compared; null: a folder of the data directory. */
  readonly scratchDir: string | null;
  /** How many tasks run at the same time; null: as many as usual. */
  readonly tasksAtOnce: number | null;
}

/** An option that makes no sense; `message` names it. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
}

const optionNames = {
  'data-dir': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'insecure-http': { type: 'boolean' },
  'database-url': { type: 'string' },
  'scratch-dir': { type: 'string' },
  'tasks-at-once': { type: 'string' },
  config: { type: 'string' },
} as const;
/** Their values may be numbers in a file or a message. */
const numeric = ['port', 'tasks-at-once'];
type OptionName = keyof typeof optionNames;
type Given = { readonly [N in OptionName]?: string | boolean | undefined };

/** Options of the command line; those of `--config FILE` (JSON, the same names) count where the line has none. */
export function optionsFromArguments(args: readonly string[]): Options {
  const given = parseCommandLine(args);
  const file = typeof given.config === 'string' ? readConfigFile(given.config) : {};
  return checkOptions({ ...file, ...given });
}

/** Options as a message of the desktop app gives them: names as in the configuration file, or in camel case. */
export function optionsFromMessage(message: Readonly<Record<string, unknown>>): Options {
  const entries = Object.entries(message).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    value,
  ]);
  return checkOptions(checkNames(Object.fromEntries(entries), 'start message'));
}

function parseCommandLine(args: readonly string[]): Given {
  try {
    const { values } = parseArgs({ args: [...args], options: optionNames, strict: true });
    return values;
  } catch (error) {
    // Its first sentence names the option ("Unknown option '--x'"); hints about `--` follow.
    throw new BadOption(String((error as Error).message).split('. ')[0], { cause: error });
  }
}

function readConfigFile(path: string): Given {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = errorCode(error) || 'it is not valid JSON';
    throw new BadOption(`--config ${path} cannot be read: ${reason}`, { cause: error });
  }
  const object = z.record(z.string(), z.unknown()).safeParse(content);
  if (!object.success) throw new BadOption(`--config ${path} must hold a JSON object`);
  return checkNames(object.data, `--config ${path}`);
}

function checkNames(values: Readonly<Record<string, unknown>>, where: string): Given {
  for (const [name, value] of Object.entries(values)) {
    const known = Object.hasOwn(optionNames, name) && name !== 'config';
    if (!known) throw new BadOption(`${where}: unknown option "${name}"`);
    const wanted = optionNames[name as OptionName].type;
    const right =
      typeof value === wanted || (numeric.includes(name) && typeof value === 'number') || value == null;
    if (!right) throw new BadOption(`${where}: "${name}" must be a ${wanted}`);
  }
  const present = Object.entries(values).filter(([, value]) => value != null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  ) as Given;
}

function checkOptions(given: Given): Options {
  const text = (name: OptionName): string | null => {
    const value = given[name];
    if (value === '') throw new BadOption(`--${name} must not be empty`);
    return typeof value === 'string' ? value : null;
  };
  const dataDir = text('data-dir');
  if (dataDir === null) throw new BadOption('--data-dir DIR is required');
  if (dataDir.includes('\0')) throw new BadOption('--data-dir must not contain a NUL character');
  const host = text('host') ?? '127.0.0.1';
  const insecureHttp = given['insecure-http'] === true;
  const tls = readTls(text('tls-cert'), text('tls-key'));
  if (!tls && !insecureHttp && !isLoopbackHost(host)) {
    throw new BadOption(
      `--host ${host} can be reached from other hosts: give --tls-cert and --tls-key, or --insecure-http`,
    );
  }
  const databaseUrl = text('database-url');
  if (databaseUrl !== null) checkDatabaseUrl(databaseUrl);
  const scratchDir = text('scratch-dir');
  if (scratchDir?.includes('\0')) throw new BadOption('--scratch-dir must not contain a NUL character');
  return {
    dataDir,
    host,
    port: parsePort(text('port')),
    tls,
    insecureHttp,
    databaseUrl,
    scratchDir,
    tasksAtOnce: parseTasksAtOnce(text('tasks-at-once')),
  };
}

/** Each has threads and memory of its own. */
const mostTasksAtOnce = 64;

function parseTasksAtOnce(text: string | null): number | null {
  if (text === null) return null;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostTasksAtOnce) return count;
  throw new BadOption(`--tasks-at-once ${text} must be a whole number from 1 to ${mostTasksAtOnce}`);
}

function parsePort(text: string | null): number | null {
  if (text === null) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new BadOption(`--port ${text} must be a whole number from 0 to 65535`);
  return port;
}

function readTls(cert: string | null, key: string | null): Options['tls'] {
  if (cert === null && key === null) return null;
  if (cert === null) throw new BadOption('--tls-key needs --tls-cert too');
  if (key === null) throw new BadOption('--tls-cert needs --tls-key too');
  return { cert: readPem('--tls-cert', cert), key: readPem('--tls-key', key) };
}

function readPem(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadOption(`${option} ${path} cannot be read: ${errorCode(error) || 'error'}`, { cause: error });
  }
}

/** The URL may hold a password, so it is never part of a message. */
function checkDatabaseUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === 'postgres:' || url.protocol === 'postgresql:')) return;
  throw new BadOption('--database-url must be like postgres://user:password@host:5432/database');
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
