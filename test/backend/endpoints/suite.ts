import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabasePlace } from '../../../backend/db/index.ts';
import { bandwidthCases, clientCases, strategyRuleCases } from './client-cases.ts';
import { repositoryCases } from './repository-cases.ts';
import { auditorCases, authCases, configurationCases, directoryCases } from './server-cases.ts';
import { specifiedRows } from './specified-rows.ts';
import { openStage, type Stage } from './stage.ts';
import {
  blockDeviceCases,
  dynamicGroupCases,
  localStorageCases,
  mediaServerCases,
  poolCases,
} from './storage-cases.ts';
import { tapeLibraryCases } from './tape-cases.ts';
import { taskCases } from './task-cases.ts';

const areas: readonly (readonly [string, (stage: Stage) => Promise<void>])[] = [
  ['authentication', authCases],
  ['the connection to a domain controller', directoryCases],
  ['strategy rules', strategyRuleCases],
  ['clients', clientCases],
  ['tasks', taskCases],
  ['pools', poolCases],
  ['the repository', repositoryCases],
  ['client bandwidth limits', bandwidthCases],
  ['dynamic pool groups and their pools', dynamicGroupCases],
  ['tape libraries', tapeLibraryCases],
  ['local file storages', localStorageCases],
  ['block devices', blockDeviceCases],
  ['media servers', mediaServerCases],
  ['auditors', auditorCases],
  ['the global configuration', configurationCases],
];

/** Every row of the specification on one running server, with a database of either kind. */
export function everyEndpointSuite(name: string, place?: () => Promise<DatabasePlace>): void {
  describe(`one running server on ${name} answers as the specification says:`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(await place?.());
    });
    afterAll(async () => {
      process.stdout.write(`\non ${name}:\n${stage.probe.report()}\n`);
      await stage.close();
    });

    it.each(areas)('%s', async (_name, cases) => {
      await cases(stage);
    });

    it('has 103 endpoints, and each has shown its success code and every error code that is listed for it', () => {
      expect(specifiedRows).toHaveLength(103);
      expect(stage.probe.missing()).toEqual([]);
    });

    it('has not failed inside meanwhile', () => {
      expect(stage.failures).toEqual([]);
    });
  });
}
