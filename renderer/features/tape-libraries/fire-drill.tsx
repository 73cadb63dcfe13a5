import { useState } from 'react';
import { isAway } from '../../../contract/cartridges/cartridge.ts';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import type { VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';
import { call, problemOf } from '../../bridge.ts';
import { useRights } from '../../shell/rights.ts';
import { refreshList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  formatBytes,
  Progress,
  SelectField,
  StatusBadge,
  showHidden,
  TextField,
} from '../../ui/index.ts';
import {
  type Armed,
  armedIn,
  type FaultId,
  faultIds,
  faultKinds,
  faultsOf,
  withFault,
  withoutFault,
} from './fault-rules.ts';
import { Line } from './found-line.tsx';

/** The switchboard of a simulated library: what is armed, what can be, and what the product makes of it. */
export function FireDrill(props: {
  readonly connectionId: string;
  readonly library: VirtualLibrary;
  /** The tape library that uses it; null: none does. */
  readonly user: TapeLibrary | null;
  readonly onChanged: () => void;
}) {
  const { connectionId, library, user } = props;
  const whyNot = useRights(connectionId)('tape_libraries.write');
  const [id, setId] = useState<FaultId>('doorOpen');
  const [target, setTarget] = useState('');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<
    { readonly text: string; readonly isRefusal: boolean } | 'waiting' | null
  >(null);
  const armed = armedIn(library.faults);
  const kind = faultKinds[id];
  const targets = targetsOf(library, kind.on);
  const chosen = targets.some((one) => one.value === target) ? target : (targets[0]?.value ?? '');
  const send = async (faults: readonly Armed[] | null) => {
    setBusy(true);
    setProblem(null);
    try {
      const body = { faults: faults === null ? null : faultsOf(faults) };
      await call(connectionId, 'virtualLibraries.update', { params: { id: library.id }, body });
      refreshList(connectionId, 'Virtual libraries');
      props.onChanged();
    } catch (error) {
      setProblem(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  // Kept here and not at the fault: what was met may be another fault by then, or none.
  const tryIt = async (fault: Armed) => {
    if (user === null) return;
    const name = t(`tapeBoard.drill.faults.${fault.id}.name`);
    const say = (said: string, isRefusal: boolean) =>
      setAnswer({ text: t('tapeBoard.drill.answer', { fault: name, said }), isRefusal });
    setAnswer('waiting');
    try {
      say(await tryFault(connectionId, user, fault), false);
    } catch (error) {
      say(showHidden(problemOf(error).message), true);
    } finally {
      props.onChanged();
    }
  };
  const busy = whyNot ?? (isBusy || answer === 'waiting' ? t('tapeBoard.drill.busy') : null);
  const whyNotTried = (fault: Armed) => {
    if (faultKinds[fault.id].trial === 'write') return t('tapeBoard.drill.tryByTask');
    return user === null ? t('tapeBoard.drill.unused') : busy;
  };
  const arm = () => {
    const number = kind.value === null ? null : Number(value.trim() === '' ? kind.usual : value);
    void send(withFault(armed, { id, target: chosen, value: number }));
  };
  const missing = kind.on === 'cartridge' && chosen === '' ? t('tapeBoard.drill.noCartridge') : null;
  return (
    <>
      <h3>{t('tapeBoard.drill.armed')}</h3>
      {armed.length === 0 && <Line meaning="ok" text={t('tapeBoard.drill.allWell')} />}
      <ul className="lines" aria-label={t('tapeBoard.drill.armed')}>
        {armed.map((fault) => (
          <ArmedLine
            key={`${fault.id} ${fault.target} ${fault.value}`}
            fault={fault}
            whyNotTried={whyNotTried(fault)}
            whyNot={busy}
            onTry={() => void tryIt(fault)}
            onDisarm={() => void send(withoutFault(armed, fault))}
          />
        ))}
      </ul>
      {answer === 'waiting' && <Progress label={t('tapeBoard.drill.trying')} percent={null} />}
      {answer !== null && answer !== 'waiting' && (
        <Line meaning={answer.isRefusal ? 'warning' : 'ok'} text={answer.text} isAlert={answer.isRefusal} />
      )}
      {armed.length > 1 && (
        <div>
          <Button onClick={() => void send(null)} disabledBecause={busy}>
            {t('tapeBoard.drill.disarmAll')}
          </Button>
        </div>
      )}
      <h3>{t('tapeBoard.drill.arm')}</h3>
      {problem !== null && <Line meaning="error" text={showHidden(problem)} isAlert />}
      <SelectField
        label={t('tapeBoard.drill.fault')}
        value={id}
        onChange={(one) => {
          setId(one as FaultId);
          setValue('');
        }}
        choices={faultIds.map((one) => ({ value: one, label: t(`tapeBoard.drill.faults.${one}.name`) }))}
        help={t(`tapeBoard.drill.faults.${id}.does`)}
      />
      {kind.on !== 'library' && targets.length > 0 && (
        <SelectField
          label={t(kind.on === 'drive' ? 'tapeBoard.drill.drive' : 'tapeBoard.drill.cartridge')}
          value={chosen}
          onChange={setTarget}
          choices={targets}
        />
      )}
      {kind.value !== null && (
        <TextField
          label={t(`tapeBoard.drill.values.${kind.value}`)}
          type="number"
          value={value === '' ? String(kind.usual) : value}
          onChange={setValue}
        />
      )}
      <div>
        <Button onClick={arm} disabledBecause={missing ?? busy}>
          {t('tapeBoard.drill.armButton')}
        </Button>
      </div>
    </>
  );
}

function targetsOf(library: VirtualLibrary, on: 'library' | 'drive' | 'cartridge') {
  if (on === 'library') return [];
  if (on === 'cartridge')
    return library.cartridges.map((barcode) => ({ value: barcode, label: showHidden(barcode) }));
  return Array.from({ length: library.drives }, (_, index) => ({
    value: String(index + 1),
    label: t('tapeBoard.drive', { number: index + 1 }),
  }));
}

/** A fault that is armed. */
function ArmedLine(props: {
  readonly fault: Armed;
  readonly whyNotTried: string | null;
  readonly whyNot: string | null;
  readonly onTry: () => void;
  readonly onDisarm: () => void;
}) {
  const { fault } = props;
  const { on, value } = faultKinds[fault.id];
  const where = on === 'drive' ? t('tapeBoard.drive', { number: fault.target }) : showHidden(fault.target);
  const amount =
    fault.value === null || value === null
      ? ''
      : t(`tapeBoard.drill.amounts.${value}`, {
          value: value === 'bytes' ? formatBytes(fault.value) : fault.value,
          count: fault.value,
        });
  return (
    <li className="drill-line">
      <div className="drill-head">
        <StatusBadge meaning="warning" word={t(`tapeBoard.drill.faults.${fault.id}.name`)} />
        <span>{[where, amount].filter(Boolean).join(' · ')}</span>
      </div>
      <p className="caption">{t(`tapeBoard.drill.faults.${fault.id}.does`)}</p>
      <div className="drill-acts">
        <Button onClick={props.onTry} disabledBecause={props.whyNotTried}>
          {t('tapeBoard.drill.try')}
        </Button>
        <Button onClick={props.onDisarm} disabledBecause={props.whyNot}>
          {t('tapeBoard.drill.disarm')}
        </Button>
      </div>
    </li>
  );
}

/** Does what meets the fault, and tells how it went; rejects with what the server said. */
async function tryFault(connectionId: string, user: TapeLibrary, fault: Armed): Promise<string> {
  const { trial, on } = faultKinds[fault.id];
  if (trial === 'sync') {
    const found = await call(connectionId, 'tapeLibraries.sync', { params: { id: user.id } });
    return t('tapeBoard.drill.synced', {
      cartridges: t('common.counts.cartridges', { count: found.cartridges }),
    });
  }
  const all = await call(connectionId, 'cartridges.list', { query: { tape_library: user.id } });
  const cartridge = all.items.find(
    (one) => !isAway(one) && one.state !== 'cleaning' && (on !== 'cartridge' || one.barcode === fault.target),
  );
  if (cartridge === undefined) throw new Error(t('tapeBoard.drill.noneToRead'));
  const barcode = showHidden(cartridge.barcode);
  const scan = await call(connectionId, 'cartridges.scan', { params: { id: cartridge.id } });
  refreshList(connectionId, 'Cartridges');
  const [first] = scan.problems;
  return first === undefined
    ? t('tapeBoard.drill.read', { barcode })
    : t('tapeBoard.drill.readWith', { barcode, problem: showHidden(first) });
}
