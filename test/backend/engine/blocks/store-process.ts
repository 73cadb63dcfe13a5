import { Cleaning } from '../../../../backend/engine/blocks/cleaning.ts';
import { openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { DeviceError } from '../../../../backend/engine/device-error.ts';
import { blockOf, hashOf, numbers } from './fixture.ts';

/**
 * Puts blocks, synchronises and cleans in a process of its own, whose file calls may be made to fail. Says a line for each
 * promise: `kept <from> <to>`, `given <from> <to>`, `cleaned`, at the end `done` or the kind of the error.
 */
const [devicePath = '', indexFile = '', rounds = '4', perRound = '80'] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const size = Number(perRound);
try {
  const store = openBlockStore(devicePath, { indexFile });
  for (let round = 0; round < Number(rounds); round += 1) {
    const from = round * size;
    for (const value of numbers(from, from + size)) store.put(hashOf(blockOf(value)), blockOf(value));
    store.sync();
    say(`kept ${from} ${from + size}`);
    if (round % 2 === 0) continue;
    // The round before is not needed any more, but for a few blocks.
    say(`given ${from - size} ${from - 10}`);
    const cleaning = new Cleaning(store);
    for (let each = 1; each <= round; each += 2) {
      cleaning.mark(numbers(each * size - 10, (each + 1) * size).map((value) => hashOf(blockOf(value))));
    }
    while (cleaning.step());
    cleaning.close();
    say('cleaned');
  }
  store.close();
  say('done');
} catch (error) {
  say(error instanceof DeviceError ? error.kind : String(error));
}
