import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

/** One visible line of a tree. */
export interface TreeNode {
  readonly id: string;
  readonly name: string;
  readonly level: number;
  /** Null: it can have no children. */
  readonly isExpanded: boolean | null;
  readonly check?: 'on' | 'off' | 'mixed';
  readonly icon?: ReactNode;
  readonly after?: ReactNode;
  /** A line that is no item: "Loading…", "42 more". */
  readonly isNote?: boolean;
}

export interface TreeProps {
  readonly label: string;
  readonly nodes: readonly TreeNode[];
  readonly selectedId?: string | null;
  readonly onSelect?: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onCheck?: (id: string, isOn: boolean) => void;
  readonly heightPx?: number;
  readonly rowPx?: number;
}

/** A tree of any size, given as its visible lines. Arrows move, open and close; Space ticks; letters find. */
export function Tree(props: TreeProps) {
  const { nodes } = props;
  const base = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const [currentId, setCurrentId] = useState<string | null>(null);
  const rowPx = props.rowPx ?? 28;
  const rows = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  const at = nodes.findIndex((node) => node.id === currentId);
  const goTo = (index: number) => {
    const node = nodes[Math.min(nodes.length - 1, Math.max(0, index))];
    if (node === undefined) return;
    setCurrentId(node.id);
    rows.scrollToIndex(nodes.indexOf(node));
    if (!node.isNote) props.onSelect?.(node.id);
  };
  const parentOf = (index: number): number => {
    const level = nodes[index]?.level ?? 0;
    for (let before = index - 1; before >= 0; before -= 1) {
      if ((nodes[before]?.level ?? 0) < level) return before;
    }
    return index;
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
        if (node?.check !== undefined) props.onCheck?.(node.id, node.check !== 'on');
        break;
      case 'Enter':
        if (node !== undefined && node.isExpanded !== null) props.onToggle(node.id);
        break;
      default: {
        if (event.key.length !== 1) return;
        const letter = event.key.toLowerCase();
        const after = [...nodes.slice(at + 1), ...nodes.slice(0, at + 1)];
        const found = after.find((candidate) => candidate.name.toLowerCase().startsWith(letter));
        if (found === undefined) return;
        goTo(nodes.indexOf(found));
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
      onKeyDown={onKeyDown}
    >
      <div className="tree-body" style={{ height: rows.getTotalSize() }} role="presentation">
        {rows.getVirtualItems().map((item) => {
          const node = nodes[item.index];
          if (node === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself has the keyboard
            <div
              key={node.id}
              id={`${base}-${item.index}`}
              role="treeitem"
              tabIndex={-1}
              aria-level={node.level}
              aria-expanded={node.isExpanded ?? undefined}
              aria-selected={node.id === props.selectedId}
              data-current={item.index === at}
              className="tree-item"
              style={{
                transform: `translateY(${item.start}px)`,
                height: rowPx,
                paddingLeft: 8 + (node.level - 1) * 18,
              }}
              onClick={() => {
                setCurrentId(node.id);
                if (!node.isNote) props.onSelect?.(node.id);
              }}
              onDoubleClick={() => node.isExpanded !== null && props.onToggle(node.id)}
            >
              <Twisty node={node} onToggle={props.onToggle} />
              {node.check !== undefined && <Tick node={node} onCheck={props.onCheck} />}
              {node.icon}
              <span className={`tree-name selectable${node.isNote ? ' muted' : ''}`} title={node.name}>
                {node.name}
              </span>
              {node.after}
            </div>
          );
        })}
      </div>
    </div>
  );
}

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
      aria-label={node.name}
      checked={node.check === 'on'}
      ref={(element) => {
        if (element !== null) element.indeterminate = node.check === 'mixed';
      }}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => props.onCheck?.(node.id, event.target.checked)}
    />
  );
}
