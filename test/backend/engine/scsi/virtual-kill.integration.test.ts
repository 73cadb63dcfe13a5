import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { sourceProgram } from '../../../support/source-program.ts';
import { firstDrive, firstSlot, never, startVirtualBench, type VirtualBench } from './virtual-bench.ts';

const program = fileURLToPath(new URL('./tape-writer-process.ts', import.meta.url));
let bench: VirtualBench;
afterEach(() => bench.close());

it.each([1, 17, 60])(
  'a process killed after %i blocks leaves all that the drive had taken',
  async (least) => {
    bench = await startVirtualBench({ cartridgeBytes: 1_073_741_824 });
    await (await bench.robot()).move(firstSlot, firstDrive, never);
    await bench.libraries.close();
    const child = spawn(process.execPath, sourceProgram(program, bench.root), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    const ended = once(child, 'close');
    child.stdout.on('data', (text: Buffer) => {
      told += text.toString();
      if (told.split('\n').length > least) child.kill('SIGKILL');
    });
    await ended;
    const acknowledged = told.split('\n').length - 1;
    expect(acknowledged).toBeGreaterThanOrEqual(least);
    await bench.restart();
    const drive = await bench.drive();
    await drive.load(never);
    let number = 0;
    for (;;) {
      const met = await drive.read(1000, never);
      if (met.kind === 'endOfData') break;
      if (met.kind === 'filemark') continue;
      expect(Buffer.from(met.data).equals(Buffer.alloc(1000, number & 0xff))).toBe(true);
      number += 1;
    }
    expect(number).toBeGreaterThanOrEqual(acknowledged);
  },
);
