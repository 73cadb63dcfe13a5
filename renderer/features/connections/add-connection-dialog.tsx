import { useId, useRef, useState } from 'react';
import { command, problemOf } from '../../bridge.ts';
import { goTo, saveSettings } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { textsOf } from '../../texts/index.ts';
import { Checkbox, Dialog, RadioGroup, TextField } from '../../ui/index.ts';
import { ProbeLine, useAddressProbe } from './address-probe.tsx';
import { CertificateDialog } from './certificate-dialog.tsx';
import { noTls, TlsFields } from './tls-fields.tsx';

const { add: words, tls: tlsWords } = textsOf('connections');
const addressExample = 'https://backup.example.org:5656';
const domainExample = 'example.org';

export function AddConnectionDialog(props: { readonly onClose: () => void }) {
  const { onClose } = props;
  const [address, setAddress] = useState('');
  const [database, setDatabase] = useState('strongroom');
  const [userName, setUserName] = useState('');
  const [password, setPassword] = useState('');
  const [authType, setAuthType] = useState<'database' | 'domain'>('database');
  const [domain, setDomain] = useState('');
  const [remember, setRemember] = useState(true);
  const [hasTls, setHasTls] = useState(false);
  const [tls, setTls] = useState(noTls);
  const [question, setQuestion] = useState<Readonly<Record<string, string>> | null>(null);
  /** The certificate that the person agreed to; main looks at it again and refuses another one. */
  const trusted = useRef<string | null>(null);
  const callId = useId();
  const probe = useAddressProbe(address);
  const connect = async () => {
    const connection = await command('connections.add', {
      address,
      database,
      userName,
      password,
      authType,
      domain: authType === 'domain' ? domain : '',
      remember,
      trustFingerprint: trusted.current,
      ...(hasTls ? tls : {}),
      callId,
    });
    saveSettings({ firstRunDone: true });
    goTo({ connectionId: connection.id, section: 'Overview' });
  };
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    try {
      await connect();
    } catch (error) {
      const { kind, code, facts } = problemOf(error);
      // Another authority than the chosen one is no question: its file is wrong, or the server is.
      if (kind === 'certificate' && code !== 'otherAuthority' && facts?.fingerprint !== undefined)
        setQuestion(facts);
      throw error;
    }
  }, onClose);
  const giveUp = () => {
    if (isBusy) command('api.cancel', { callId }).catch(() => undefined);
    onClose();
  };
  if (question !== null) {
    return (
      <CertificateDialog
        isChange={false}
        facts={question}
        onTrust={async () => {
          trusted.current = question.fingerprint ?? null;
          setQuestion(null);
          submit();
        }}
        onClose={() => setQuestion(null)}
      />
    );
  }
  return (
    <Dialog
      title={words.title}
      submitLabel={words.submit}
      onSubmit={submit}
      onClose={giveUp}
      isBusy={isBusy}
      problem={problem}
    >
      <div className="field">
        <TextField
          label={words.address}
          value={address}
          onChange={(text) => {
            setAddress(text);
            probe.forget();
          }}
          // Own authorities make beside the point what this computer trusts.
          onBlur={() => hasTls || isBusy || probe.look()}
          error={errors.address}
          placeholder={addressExample}
          autoFocus
        />
        {/* What is wrong with the address stands at the field already once it was sent. */}
        <ProbeLine
          seen={hasTls || errors.address !== undefined ? null : probe.seen}
          help={words.addressHelp}
        />
      </div>
      <RadioGroup
        label={words.kind}
        value={authType}
        onChange={(value) => setAuthType(value === 'domain' ? 'domain' : 'database')}
        choices={[
          { value: 'database', label: words.databaseAccount },
          { value: 'domain', label: words.domainAccount },
        ]}
      />
      <TextField
        label={words.database}
        value={database}
        onChange={setDatabase}
        error={errors.database ?? errors.backup_database}
      />
      {authType === 'domain' && (
        <TextField
          label={words.domain}
          value={domain}
          onChange={setDomain}
          error={errors.domain}
          placeholder={domainExample}
        />
      )}
      <TextField
        label={words.userName}
        value={userName}
        onChange={setUserName}
        error={errors.userName ?? errors.backup_user}
      />
      <TextField
        label={words.password}
        type="password"
        value={password}
        onChange={setPassword}
        error={errors.password}
      />
      <Checkbox label={words.remember} checked={remember} onChange={setRemember} help={words.rememberHelp} />
      <Checkbox label={tlsWords.heading} checked={hasTls} onChange={setHasTls} />
      {hasTls && <TlsFields value={tls} errors={errors} onChange={setTls} />}
    </Dialog>
  );
}
