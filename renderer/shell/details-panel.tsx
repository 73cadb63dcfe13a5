import { X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { t } from '../texts/index.ts';
import { Button } from '../ui/index.ts';
import { useEscape } from './details-page.tsx';
import { saveSettings, shell } from './shell-store.ts';

const least = 360;
const most = 640;
const stepPx = 20;
const withinPanel = (px: number) => Math.min(most, Math.max(least, px));

/** The panel at the right; Escape and its cross close it. */
export function DetailsPanel(props: { readonly children: ReactNode; readonly onClose: () => void }) {
  const kept = useStore(shell, (state) => state.settings.panels.details ?? 400);
  const [width, setWidth] = useState(kept);
  const panel = useRef<HTMLElement>(null);
  const { onClose } = props;
  useEscape(onClose);
  const resize = (event: PointerEvent) => {
    const right = panel.current?.getBoundingClientRect().right ?? 0;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    let last = width;
    const move = (at: Event) => {
      last = withinPanel(right - (at as unknown as globalThis.PointerEvent).clientX);
      setWidth(last);
    };
    handle.addEventListener('pointermove', move);
    const end = () => {
      handle.removeEventListener('pointermove', move);
      saveSettings({ panels: { details: last } });
    };
    handle.addEventListener('pointerup', end, { once: true });
  };
  const resizeByKey = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: width + stepPx,
      ArrowRight: width - stepPx,
      Home: least,
      End: most,
    }[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    setWidth(withinPanel(to));
    saveSettings({ panels: { details: withinPanel(to) } });
  };
  return (
    <aside className="details" style={{ width }} ref={panel}>
      <div
        className="details-resize"
        role="separator"
        aria-orientation="vertical"
        aria-label={t('shell.list.resizeDetails')}
        aria-valuemin={least}
        aria-valuemax={most}
        aria-valuenow={width}
        tabIndex={0}
        onPointerDown={resize}
        onKeyDown={resizeByKey}
      />
      {props.children}
      <div style={{ position: 'absolute', right: 8, top: 8 }}>
        <Button kind="quiet" label={t('shell.list.closeDetails')} onClick={onClose}>
          <X size={16} aria-hidden />
        </Button>
      </div>
    </aside>
  );
}
