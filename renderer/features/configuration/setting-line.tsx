import { type ConfigurationName, isReadOnly } from '../../../contract/configuration/configuration-fields.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, Capped } from '../../ui/index.ts';
import type { Change } from './draft.ts';
import { defaultShown, effectOf, fieldOf, meaningOf, valueShown } from './setting-words.ts';

const words = textsOf('configuration');

/** One setting: its name and meaning, what it is and what it would become, its default. */
export function SettingLine(props: {
  readonly name: ConfigurationName;
  readonly now: unknown;
  readonly change: Change | null;
  readonly isBundledServer: boolean;
  /** Why it cannot be changed; null when it can. */
  readonly noWrite: string | null;
  readonly onChange: () => void;
  readonly onDefault: () => void;
  readonly onBack: () => void;
}) {
  const { name, now, change, noWrite } = props;
  const effect = effectOf(name, props.isBundledServer);
  const normally = defaultShown(name);
  const isDefault = (change === null ? now : change.to) === fieldOf(name).default;
  return (
    <li>
      <span className="setting-text">
        <span className="mono">{name}</span>
        <br />
        <span>{meaningOf(name)}</span>
        {effect !== null && (
          <>
            <br />
            <span className="caption">{effect}</span>
          </>
        )}
      </span>
      <span className="setting-value selectable">
        {change === null ? (
          <Capped>
            <span className="mono">{valueShown(now, name)}</span>
          </Capped>
        ) : (
          <Capped>
            <span className="mono">
              <del>{valueShown(change.from, name)}</del> → <ins>{valueShown(change.to, name)}</ins>
            </span>
          </Capped>
        )}
        {normally !== null && (
          <>
            <br />
            <span className="caption">{t('configuration.defaultIs', { value: normally })}</span>
          </>
        )}
      </span>
      <span className="setting-acts">
        {change !== null && (
          <Button kind="quiet" label={t('configuration.takeBackOf', { name })} onClick={props.onBack}>
            {words.takeBack}
          </Button>
        )}
        {change === null && !isReadOnly(name) && (
          <Button
            kind="quiet"
            label={t('configuration.toDefaultOf', { name })}
            onClick={props.onDefault}
            disabledBecause={noWrite ?? (isDefault ? words.isDefault : null)}
          >
            {words.toDefault}
          </Button>
        )}
        <Button
          kind="quiet"
          label={t('configuration.changeOf', { name })}
          onClick={props.onChange}
          disabledBecause={noWrite}
        >
          {words.changeAsk}
        </Button>
      </span>
    </li>
  );
}
