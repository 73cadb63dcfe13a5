import { Fragment, type ReactNode } from 'react';
import { type Name, t } from './index.ts';

/** A sentence with elements in it: each `{{name}}` of the text is the part of that name. `count` chooses the plural. */
export function Rich(props: {
  readonly text: Name;
  readonly parts: Readonly<Record<string, ReactNode>>;
  readonly count?: number;
}) {
  const names = Object.keys(props.parts);
  const marks = Object.fromEntries(names.map((name, index) => [name, `\u{E000}${index}\u{E001}`]));
  const text = t(props.text, props.count === undefined ? marks : { ...marks, count: props.count });
  return text.split(/\u{E000}(\d+)\u{E001}/u).map((piece, index) => {
    const name = index % 2 === 1 ? names[Number(piece)] : undefined;
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a fixed sentence have no other name
    return <Fragment key={index}>{name === undefined ? piece : props.parts[name]}</Fragment>;
  });
}
