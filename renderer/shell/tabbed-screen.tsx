import type { ReactNode } from 'react';
import { Tabs } from '../ui/index.ts';
import { ShownView, useShownView } from './shown-view.ts';

export interface ScreenView {
  readonly id: string;
  readonly label: string;
  readonly draw: () => ReactNode;
}

/** A screen of several views under tabs; the first is shown first, and only the one that is looked at is drawn. */
export function TabbedScreen(props: { readonly label: string; readonly views: readonly ScreenView[] }) {
  const [current, setCurrent] = useShownView(props.views[0]?.id ?? '');
  return <Views {...props} current={current} onChange={setCurrent} />;
}

/** The same, where the screen itself changes the view too. */
export function Views(props: {
  readonly label: string;
  readonly views: readonly ScreenView[];
  readonly current: string;
  readonly onChange: (view: string) => void;
}) {
  const { views } = props;
  // One that this server does not have any more.
  const shown = views.find(({ id }) => id === props.current) ?? views[0];
  return (
    <div className="tabbed-screen">
      <Tabs label={props.label} tabs={views} current={shown?.id ?? ''} onChange={props.onChange}>
        <ShownView.Provider value={shown?.id ?? null}>{shown?.draw()}</ShownView.Provider>
      </Tabs>
    </div>
  );
}
