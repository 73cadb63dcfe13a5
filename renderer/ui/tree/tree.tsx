import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useEdited } from '../edited.ts';
import { useRowHeight } from '../grid/row-height.ts';
import { showHidden } from '../text.ts';

/** One visible line of a tree. */
export interface TreeNode {
  readonly id: string;
  readonly name: string;
  readonly level: number;
  /** Null: it can have no children. */
  readonly isExpanded: boolean | null;
  /** One that has something below it and is opened all the same: then arrows and the sign before its name turn it round. */
  readonly isOpenable?: boolean;
  readonly check?: 'on' | 'off' | 'mixed';
  readonly icon?: ReactNode;
  readonly after?: ReactNode;
  /** A line that is no item: "Loading…", "42 more". */
  readonly isNote?: boolean;
  /** As many lines as its words need, such as a reason; else one that is cut. */
  readonly isWrapped?: boolean;
}

export interface TreeProps {
  readonly label: string;
  readonly nodes: readonly TreeNode[];
  readonly selectedId?: string | null;
  readonly onSelect?: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onCheck?: (id: string, isOn: boolean) => void;
  /** Of a line that has nothing below it, or is openable: Enter, or a double click. */
  readonly onOpen?: (id: string) => void;
  readonly heightPx?: number;
}

/** A tree of any size, given as its visible lines. Arrows move, open and close; Space ticks; letters find. */
export function Tree(props: TreeProps) {
  const { nodes } = props;
  const base = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const [currentId, setCurrentId] = useState<string | null>(null);
  const rowPx = useRowHeight();
  const edited = useEdited();
  const typed = useRef({ text: '', at: 0 });
  // Heights are kept by it: a line of another height in the same place is another one.
  const getItemKey = useCallback(
    (index: number) => {
      const node = nodes[index];
      return node?.isWrapped ? node.id : index;
    },
    [nodes],
  );
  const rows = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
    // The kit draws with React's own rhythm; drawing at once is refused inside an effect.
    useFlushSync: false,
    getItemKey,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the density changed
  useEffect(() => rows.measure(), [rowPx]);
  // After each drawing, since the one above forgets what was measured; what is known is not measured again.
  useEffect(() => {
    const wrapped = scroll.current?.querySelectorAll<HTMLDivElement>('.tree-item-wrapped') ?? [];
    for (const line of wrapped) rows.measureElement(line);
  });
  const at = nodes.findIndex((node) => node.id === currentId);
  const goTo = (index: number) => {
    const node = nodes[Math.min(nodes.length - 1, Math.max(0, index))];
    if (node === undefined) return;
    setCurrentId(node.id);
    rows.scrollToIndex(Math.min(nodes.length - 1, Math.max(0, index)));
    if (!node.isNote) props.onSelect?.(node.id);
  };
  const parentOf = (index: number): number => {
    const level = nodes[index]?.level ?? 0;
    for (let before = index - 1; before >= 0; before -= 1) {
      if ((nodes[before]?.level ?? 0) < level) return before;
    }
    return index;
  };
  /** Letters that follow each other quickly are one beginning of a name; the same letter again goes on to the next. */
  const find = (letter: string): number => {
    const now = performance.now();
    const before = now - typed.current.at < typingMs ? typed.current.text : '';
    const isAgain = before === letter;
    const text = isAgain ? letter : before + letter;
    typed.current = { text, at: now };
    const from = text.length > 1 ? Math.max(0, at) : at + 1;
    const order = [...nodes.keys()].map((index) => (index + from) % nodes.length);
    return order.find((index) => nodes[index]?.name.toLowerCase().startsWith(text)) ?? -1;
  };
  const screenful = () => Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowPx) - 1);
  const open = (node: TreeNode) => {
    if (node.isExpanded !== null && !node.isOpenable) props.onToggle(node.id);
    else if (!node.isNote) props.onOpen?.(node.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const node = nodes[at];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case 'ArrowDown':
        goTo(at + 1);
        break;
      case 'ArrowUp':
        goTo(at < 0 ? 0 : at - 1);
        break;
      case 'PageDown':
        goTo(Math.max(0, at) + screenful());
        break;
      case 'PageUp':
        goTo(at - screenful());
        break;
      case 'Home':
        goTo(0);
        break;
      case 'End':
        goTo(nodes.length - 1);
        break;
      case 'ArrowRight':
        if (node?.isExpanded === false) props.onToggle(node.id);
        else if (node?.isExpanded) goTo(at + 1);
        break;
      case 'ArrowLeft':
        if (node?.isExpanded) props.onToggle(node.id);
        else goTo(parentOf(at));
        break;
      case ' ':
        if (node?.check === undefined) break;
        edited();
        props.onCheck?.(node.id, node.check !== 'on');
        break;
      case 'Enter':
        if (node !== undefined) open(node);
        break;
      default: {
        if (event.key.length !== 1) return;
        const found = find(event.key.toLowerCase());
        if (found < 0) return;
        goTo(found);
      }
    }
    event.preventDefault();
  };
  return (
    <div
      className="tree"
      ref={scroll}
      role="tree"
      aria-label={props.label}
      aria-activedescendant={at < 0 ? undefined : `${base}-${at}`}
      tabIndex={0}
      style={props.heightPx === undefined ? { flex: 1 } : { height: props.heightPx }}
      onFocus={() => {
        if (at < 0) setCurrentId(props.selectedId ?? nodes[0]?.id ?? null);
      }}
      onKeyDown={onKeyDown}
    >
      <div className="tree-body" style={{ height: rows.getTotalSize() }} role="presentation">
        {rows.getVirtualItems().map((item) => {
          const node = nodes[item.index];
          if (node === undefined) return null;
          return (
            // It takes no focus itself: after a click the tree has it, also when the line is scrolled away.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself has the keyboard
            <div
              key={node.id}
              id={`${base}-${item.index}`}
              role="treeitem"
              aria-level={node.level}
              aria-expanded={node.isExpanded ?? undefined}
              aria-selected={node.id === props.selectedId}
              aria-checked={node.check === undefined ? undefined : ticked[node.check]}
              data-current={item.index === at}
              data-index={item.index}
              className={node.isWrapped ? 'tree-item tree-item-wrapped' : 'tree-item'}
              style={{
                transform: `translateY(${item.start}px)`,
                ...(node.isWrapped ? { minHeight: rowPx } : { height: rowPx }),
                paddingLeft: 8 + (node.level - 1) * 18,
              }}
              onClick={() => {
                setCurrentId(node.id);
                if (!node.isNote) props.onSelect?.(node.id);
              }}
              onDoubleClick={() => open(node)}
            >
              <Twisty node={node} onToggle={props.onToggle} />
              {node.check !== undefined && <Tick node={node} onCheck={props.onCheck} />}
              {node.icon}
              <span
                className={`tree-name selectable${node.isNote ? ' muted' : ''}`}
                title={showHidden(node.name)}
              >
                {showHidden(node.name)}
              </span>
              {node.after}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const typingMs = 700;
const ticked = { on: true, off: false, mixed: 'mixed' } as const;

function Twisty(props: { readonly node: TreeNode; readonly onToggle: (id: string) => void }) {
  const { node } = props;
  if (node.isExpanded === null) return <span className="tree-twisty" />;
  const Icon = node.isExpanded ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; the keyboard uses the arrows
    // biome-ignore lint/a11y/useKeyWithClickEvents: for the pointer; the keyboard uses the arrows
    <span
      className="tree-twisty"
      data-twisty
      onClick={(event) => {
        event.stopPropagation();
        props.onToggle(node.id);
      }}
    >
      <Icon size={16} aria-hidden />
    </span>
  );
}

function Tick(props: { readonly node: TreeNode; readonly onCheck: TreeProps['onCheck'] }) {
  const { node } = props;
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={showHidden(node.name)}
      checked={node.check === 'on'}
      ref={(element) => {
        if (element !== null) element.indeterminate = node.check === 'mixed';
      }}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => props.onCheck?.(node.id, event.target.checked)}
    />
  );
}
