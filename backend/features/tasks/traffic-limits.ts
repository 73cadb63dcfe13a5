import type { EngineJob } from '../../engine/index.ts';
import type { Log } from '../../platform/log.ts';
import type { BandwidthService } from '../client-bandwidth/bandwidth-service.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { type Direction, effectiveLimit, type LimitChoice, shareOf } from './traffic-rules.ts';

export interface TrafficOf {
  /** Null: a client that has been deleted; nothing limits its tasks. */
  readonly clientId: number | null;
  readonly direction: Direction;
  /** Told of every change of the limit, for the log of the task. */
  readonly note: (message: string) => void;
}

export interface TrafficLimits {
  /**
   * Starts work under the limit of its client, which it shares with the client's other running work of the same
   * direction. The limit follows the windows, the limits and the configuration while the work goes on.
   */
  limited<R>(traffic: TrafficOf, start: () => EngineJob<R>): Promise<EngineJob<R>>;
}

/** A window that opens or closes and a limit that is changed count within this time. */
const lookEveryMs = 500;

interface Member {
  readonly clientId: number;
  readonly direction: Direction;
  readonly note: (message: string) => void;
  job: { setLimit(bytesPerSecond: number): void } | null;
  isPaused: boolean;
  bytesPerSecond: number;
}

export function createTrafficLimits(deps: {
  readonly bandwidth: Pick<BandwidthService, 'limitsNow'>;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly log: Log;
}): TrafficLimits {
  const members = new Set<Member>();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const limits = await deps.bandwidth.limitsNow([...new Set([...members].map(({ clientId }) => clientId))]);
    const settings = await deps.configuration.read();
    const choice: LimitChoice = {
      advantage: settings.bandwith_limit_advantage === 'rule' ? 'rule' : 'client',
      amongClient: settings.bandwith_client_limit === 'max' ? 'max' : 'min',
      amongRule: settings.bandwith_rule_limit === 'max' ? 'max' : 'min',
    };
    for (const member of members) {
      const { clientId, direction } = member;
      const ofClient = (limits.get(clientId) ?? []).map((limit) => limit[direction]);
      const limit = effectiveLimit({ client: ofClient, rule: [] }, choice);
      const sharing = [...members].filter(
        (other) => other.clientId === clientId && other.direction === direction && !other.isPaused,
      );
      set(member, shareOf(limit, sharing.length));
    }
  };

  /** One look after the other, so that an older answer never overwrites a newer one. */
  const lookAgain = async (): Promise<void> => {
    const before = looking ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(look);
    looking = mine;
    try {
      await mine;
    } finally {
      if (looking === mine) looking = null;
    }
  };

  const lookBeside = (): void => {
    lookAgain().catch((error) => deps.log.error('the bandwidth limits could not be read', { error }));
  };

  const join = (member: Member): void => {
    members.add(member);
    timer ??= setInterval(() => {
      if (looking === null) lookBeside();
    }, lookEveryMs);
  };

  const leave = (member: Member): void => {
    members.delete(member);
    if (members.size > 0) {
      lookBeside();
      return;
    }
    if (timer !== null) clearInterval(timer);
    timer = null;
  };

  return {
    limited: async (traffic, start) => {
      if (traffic.clientId === null) return start();
      const member: Member = {
        clientId: traffic.clientId,
        direction: traffic.direction,
        note: traffic.note,
        job: null,
        isPaused: false,
        bytesPerSecond: 0,
      };
      join(member);
      try {
        await lookAgain();
        const job = start();
        member.job = job;
        // Before its first byte: the workers are only just starting.
        job.setLimit(member.bytesPerSecond);
        job.result.catch(() => undefined).finally(() => leave(member));
        return {
          ...job,
          // What is paused leaves its share to the others.
          pause: () => {
            job.pause();
            member.isPaused = true;
            lookBeside();
          },
          resume: () => {
            member.isPaused = false;
            job.resume();
            lookBeside();
          },
        };
      } catch (error) {
        leave(member);
        throw error;
      }
    },
  };
}

function set(member: Member, bytesPerSecond: number): void {
  if (member.bytesPerSecond === bytesPerSecond) return;
  member.bytesPerSecond = bytesPerSecond;
  member.job?.setLimit(bytesPerSecond);
  const kb = (bytesPerSecond / 1024).toFixed(bytesPerSecond < 10_240 ? 1 : 0);
  member.note(
    bytesPerSecond === 0
      ? `The bandwidth of this ${member.direction} is not limited any more.`
      : `The bandwidth of this ${member.direction} is limited to ${kb} KB/s.`,
  );
}
