import { useState } from 'react';
import type { TlsFiles } from '../../../contract/desktop/connection.ts';
import type { FieldErrors } from '../../../contract/problem.ts';
import { command, problemOf } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { tellFailure } from '../../shell/tell-failure.ts';
import { textsOf } from '../../texts/index.ts';
import { TextField } from '../../ui/index.ts';

const words = textsOf('connections').tls;

export interface TlsChoice {
  readonly tls: TlsFiles;
  readonly keyPassphrase: string;
}
export const noTls: TlsChoice = {
  tls: { caFile: '', certificateFile: '', keyFile: '' },
  keyPassphrase: '',
};

const fields = [
  { name: 'caFile', label: words.caFile, help: words.caHelp },
  { name: 'certificateFile', label: words.certificateFile, help: words.certificateHelp },
  { name: 'keyFile', label: words.keyFile, help: undefined },
] as const;

/** Own authorities and client certificate of a connection. A file is looked at when it is chosen. */
export function TlsFields(props: {
  readonly value: TlsChoice;
  readonly errors: FieldErrors;
  readonly onChange: (value: TlsChoice) => void;
}) {
  const { value, onChange } = props;
  const [found, setFound] = useState<FieldErrors>({});
  const errors = { ...props.errors, ...found };
  const take = async (name: keyof TlsFiles, path: string) => {
    const next = { ...value, tls: { ...value.tls, [name]: path } };
    onChange(next);
    setFound(await errorsOf(next));
  };
  const type = (next: TlsChoice) => {
    setFound({});
    onChange(next);
  };
  return (
    <>
      {fields.map(({ name, label, help }) => (
        <TextField
          key={name}
          label={label}
          value={value.tls[name]}
          onChange={(path) => type({ ...value, tls: { ...value.tls, [name]: path } })}
          error={errors[name]}
          help={help}
          mono
          beside={<BrowseButton of="file" title={label} onPick={(path) => tellFailure(take(name, path))} />}
        />
      ))}
      <TextField
        label={words.keyPassphrase}
        type="password"
        value={value.keyPassphrase}
        onChange={(keyPassphrase) => type({ ...value, keyPassphrase })}
        error={errors.keyPassphrase}
        help={words.passphraseHelp}
      />
    </>
  );
}

/** What is wrong with the files chosen so far; the other half of a pair may still be to come. */
async function errorsOf({ tls, keyPassphrase }: TlsChoice): Promise<FieldErrors> {
  try {
    await command('connections.checkTls', { tls, keyPassphrase });
    return {};
  } catch (error) {
    const { errors = {} } = problemOf(error);
    const isEmpty = (name: string) => name !== 'keyPassphrase' && tls[name as keyof TlsFiles] === '';
    return Object.fromEntries(Object.entries(errors).filter(([name]) => !isEmpty(name)));
  }
}
