import { useState } from 'react';
import { usualScsiPortalPort } from '../../../contract/scsi-portals/scsi-portal.ts';
import { call, problemOf } from '../../bridge.ts';
import { useExtension } from '../../shell/rights.ts';
import { refusalFor } from '../../shell/use-submit.ts';
import { t } from '../../texts/index.ts';
import { Button, RadioGroup, showHidden, TextArea, TextField } from '../../ui/index.ts';
import { behindPortal, type Found, typedBarcodes } from './add-library-data.ts';
import { Line } from './found-line.tsx';

export type Source = 'scan' | 'portal' | 'virtual';

/** Where robots are looked for: at the media server, behind a portal that is added here, or in a library made here. */
export function AddLibrarySource(props: {
  readonly connectionId: string;
  readonly first: Source;
  readonly server: string;
  readonly found: Found | null;
  readonly isLooking: boolean;
  readonly onLook: () => Promise<Found | null>;
}) {
  const { connectionId, server, found, onLook } = props;
  const hasPortals = useExtension(connectionId, 'scsi_portals');
  const hasVirtual = useExtension(connectionId, 'virtual_libraries');
  const [source, setSource] = useState<Source>(props.first);
  const [values, setValues] = useState({
    address: '',
    port: String(usualScsiPortalPort),
    user: '',
    password: '',
    name: '',
    slots: '8',
    drives: '1',
    mail_slots: '1',
    cartridges: '',
  });
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<{
    readonly message: string;
    readonly errors: Readonly<Record<string, string>>;
  } | null>(null);
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value });
  const errors = told?.errors ?? {};
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setTold(null);
    try {
      await work();
    } catch (error) {
      setTold(refusalFor(problemOf(error), Object.keys(values)));
    } finally {
      setBusy(false);
    }
  };
  const addPortal = () =>
    attempt(async () => {
      const { address, port, user, password } = values;
      const body = {
        media_server: server,
        address: address.trim(),
        ...(port.trim() === '' ? {} : { port: Number(port) }),
        ...(user === '' ? {} : { user }),
        ...(password === '' ? {} : { password }),
      };
      const { id } = await call(connectionId, 'scsiPortals.create', { body });
      const now = await onLook();
      const portal = now?.portals.find((one) => one.id === id);
      if (now === null || portal === undefined || behindPortal(now, portal) > 0) return;
      // One that leads nowhere would be asked again with every look.
      await call(connectionId, 'scsiPortals.delete', { params: { id } });
      await onLook();
      const message = t('tapeLibraries.add.portalSilent', { initiator: showHidden(portal.initiator_name) });
      setTold({ message, errors: {} });
    });
  const makeVirtual = () =>
    attempt(async () => {
      const number = (text: string) => (text.trim() === '' ? null : Number(text));
      const body = {
        media_server: server,
        name: values.name.trim(),
        slots: number(values.slots),
        drives: number(values.drives),
        mail_slots: number(values.mail_slots),
        cartridges: typedBarcodes(values.cartridges),
      };
      await call(connectionId, 'virtualLibraries.create', { body });
      await onLook();
    });
  const removePortal = (id: number) =>
    attempt(async () => {
      await call(connectionId, 'scsiPortals.delete', { params: { id } });
      await onLook();
    });
  const busy = isBusy || props.isLooking ? t('tapeLibraries.add.looking') : null;
  const choices = [
    { value: 'scan', label: t('tapeLibraries.add.scan') },
    ...(hasPortals ? [{ value: 'portal', label: t('tapeLibraries.add.portal') }] : []),
    ...(hasVirtual ? [{ value: 'virtual', label: t('tapeLibraries.add.virtual') }] : []),
  ];
  const field = (name: keyof typeof values, type: 'text' | 'password' | 'number' = 'text') => (
    <TextField
      label={t(`tapeLibraries.add.fields.${name}`)}
      value={values[name]}
      onChange={set(name)}
      error={errors[name]}
      type={type}
    />
  );
  return (
    <>
      <RadioGroup
        label={t('tapeLibraries.add.where')}
        value={source}
        choices={choices}
        onChange={(value) => setSource(value as Source)}
      />
      {told !== null && <Line meaning="error" text={showHidden(told.message)} isAlert />}
      {source === 'scan' && (
        <>
          <p className="muted">{t('tapeLibraries.add.scanHelp')}</p>
          <div>
            <Button onClick={() => void onLook()} disabledBecause={busy}>
              {t('tapeLibraries.add.lookAgain')}
            </Button>
          </div>
        </>
      )}
      {source === 'portal' && (
        <>
          <div className="pair">
            {field('address')}
            {field('port', 'number')}
            {field('user')}
            {field('password', 'password')}
          </div>
          <p className="field-help">{t('tapeLibraries.add.chapHelp')}</p>
          <div>
            <Button
              onClick={() => void addPortal()}
              disabledBecause={
                busy ?? (values.address.trim() === '' ? t('tapeLibraries.add.noAddress') : null)
              }
            >
              {t('tapeLibraries.add.connect')}
            </Button>
          </div>
          <Portals found={found} onRemove={(id) => void removePortal(id)} />
        </>
      )}
      {source === 'virtual' && (
        <>
          <div className="pair">
            {field('name')}
            {field('slots', 'number')}
            {field('drives', 'number')}
            {field('mail_slots', 'number')}
          </div>
          <TextArea
            label={t('tapeLibraries.add.fields.cartridges')}
            value={values.cartridges}
            onChange={set('cartridges')}
            error={errors.cartridges}
            help={t('tapeLibraries.add.cartridgesHelp')}
          />
          <div>
            <Button
              onClick={() => void makeVirtual()}
              disabledBecause={busy ?? (values.name.trim() === '' ? t('tapeLibraries.add.noName') : null)}
            >
              {t('tapeLibraries.add.make')}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

function Portals(props: { readonly found: Found | null; readonly onRemove: (id: number) => void }) {
  const { found } = props;
  if (found === null || found.portals.length === 0) return null;
  return (
    <ul className="lines" aria-label={t('tapeLibraries.add.portals')}>
      {found.portals.map((portal) => (
        <li key={portal.id}>
          <span className="grow mono">{showHidden(`${portal.address}:${portal.port}`)}</span>
          <span className="caption">
            {t('tapeLibraries.add.behind', { count: behindPortal(found, portal) })}
          </span>
          <Button kind="quiet" onClick={() => props.onRemove(portal.id)}>
            {t('tapeLibraries.add.removePortal')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
