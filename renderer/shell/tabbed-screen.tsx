import { type ReactNode, useState } from 'react';
import { Tabs } from '../ui/index.ts';

/** A screen of several views under tabs; the first is shown first, and only the one that is looked at is drawn. */
export function TabbedScreen(props: {
  readonly label: string;
  readonly views: readonly { readonly id: string; readonly label: string; readonly draw: () => ReactNode }[];
}) {
  const { label, views } = props;
  const [current, setCurrent] = useState(views[0]?.id ?? '');
  return (
    <div className="tabbed-screen">
      <Tabs label={label} tabs={views} current={current} onChange={setCurrent}>
        {views.find(({ id }) => id === current)?.draw()}
      </Tabs>
    </div>
  );
}
