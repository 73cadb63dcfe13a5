import { isValidElement, type ReactNode, useState } from 'react';
import { t } from '../texts/index.ts';
import { Button } from './button.tsx';

/** More than these fill a panel, and push what stands below out of sight. */
const mostCharacters = 500;

/** A value of any length: a very long one is shown by its beginning, until all of it is asked for. */
export function Capped(props: { readonly children: ReactNode }) {
  const { children } = props;
  const [isWhole, setWhole] = useState(false);
  const length = textLength(children);
  if (length <= mostCharacters) return children;
  return (
    <>
      <span className={`capped${isWhole ? '' : ' capped-short'}`}>{children}</span>
      <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
        {isWhole ? t('ui.showLess') : t('ui.showAll', { count: length })}
      </Button>
    </>
  );
}

/** Characters of the texts in it; what parts draw by themselves is not long. */
function textLength(node: ReactNode): number {
  if (typeof node === 'string') return node.length;
  if (Array.isArray(node)) return node.reduce((sum: number, one: ReactNode) => sum + textLength(one), 0);
  return isValidElement<{ children?: ReactNode }>(node) ? textLength(node.props.children) : 0;
}
