import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { Tree, type TreeNode } from '../../../renderer/ui/index.ts';
import { giveElementsASize } from '../support/drawn.tsx';

giveElementsASize();

const folders: Readonly<Record<string, readonly string[]>> = {
  alpha: ['a.txt', 'b.txt'],
  beta: ['c.txt'],
  'be\u202Eta': [],
};

function Files(props: { readonly onCheck?: (id: string, isOn: boolean) => void }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<string | null>(null);
  const nodes: TreeNode[] = Object.entries(folders).flatMap(([folder, files]) => [
    { id: folder, name: folder, level: 1, isExpanded: open.has(folder), check: 'mixed' as const },
    ...(open.has(folder)
      ? files.map((file) => ({ id: file, name: file, level: 2, isExpanded: null, check: 'off' as const }))
      : []),
  ]);
  return (
    <Tree
      label="Files"
      nodes={nodes}
      selectedId={selected}
      onSelect={setSelected}
      onToggle={(id) =>
        setOpen(
          (before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
        )
      }
      onCheck={props.onCheck ?? (() => undefined)}
    />
  );
}

const current = () => {
  const id = screen.getByRole('tree').getAttribute('aria-activedescendant') ?? '';
  return document.getElementById(id)?.querySelector('.tree-name')?.textContent;
};

test('arrows open, enter, leave and close folders (case 51)', async () => {
  const user = userEvent.setup();
  render(<Files />);
  await user.tab();
  expect(current()).toBe('alpha');
  await user.keyboard('{ArrowRight}');
  expect(screen.getByRole('treeitem', { name: /alpha/ }).getAttribute('aria-expanded')).toBe('true');
  await user.keyboard('{ArrowRight}{ArrowDown}');
  expect(current()).toBe('b.txt');
  await user.keyboard('{ArrowLeft}');
  expect(current()).toBe('alpha');
  await user.keyboard('{ArrowLeft}');
  expect(screen.queryByText('a.txt')).toBeNull();
  await user.keyboard('{End}');
  expect(current()).toBe('be\\u202eta');
  await user.keyboard('{Home}');
  expect(current()).toBe('alpha');
});

test('a click leaves the focus with the tree, where the current line is told (case 51)', async () => {
  const user = userEvent.setup();
  render(<Files />);
  await user.click(screen.getByText('beta'));
  expect(document.activeElement).toBe(screen.getByRole('tree'));
  expect(current()).toBe('beta');
  await user.keyboard('{ArrowUp}');
  expect(current()).toBe('alpha');
});

test('letters find a name; several typed quickly are one beginning, the same one goes on to the next', async () => {
  const user = userEvent.setup();
  render(<Files />);
  await user.tab();
  await user.keyboard('b');
  expect(current()).toBe('beta');
  await user.keyboard('b');
  expect(current()).toBe('be\\u202eta');
  await user.keyboard('z');
  expect(current()).toBe('be\\u202eta');
});

test('Space ticks, and a folder that is ticked in part says so', async () => {
  const user = userEvent.setup();
  const onCheck = vi.fn();
  render(<Files onCheck={onCheck} />);
  const alpha = screen.getByRole('treeitem', { name: /alpha/ });
  expect(alpha.getAttribute('aria-checked')).toBe('mixed');
  expect(within(alpha).getByRole<HTMLInputElement>('checkbox').indeterminate).toBe(true);
  await user.tab();
  await user.keyboard(' ');
  expect(onCheck).toHaveBeenCalledWith('alpha', true);
});

test('a folder with a million entries draws only what fits (case 47)', () => {
  const nodes: TreeNode[] = Array.from({ length: 1_000_000 }, (_, index) => ({
    id: String(index),
    name: `file ${index}`,
    level: 1,
    isExpanded: null,
  }));
  render(<Tree label="Files" nodes={nodes} onToggle={() => undefined} />);
  expect(screen.getAllByRole('treeitem').length).toBeLessThan(60);
  const tree = screen.getByRole('tree', { name: 'Files' });
  act(() => tree.focus());
  fireEvent.keyDown(tree, { key: 'ArrowDown' });
  expect(current()).toBe('file 1');
});

test('a hostile name cannot turn the line around', () => {
  render(<Files />);
  expect(screen.getByText('be\\u202eta')).toBeTruthy();
});

test('a reason takes the lines that it needs, and what follows stands below it', async () => {
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return this.classList.contains('tree-item-wrapped') ? 66 : 600;
    },
  });
  const reason = { id: 'more:', name: 'It lies on tape. Try again', level: 1, isExpanded: null };
  const after = { id: 'a', name: 'a.txt', level: 1, isExpanded: null };
  const draw = (isWrapped: boolean) => (
    <Tree label="Files" nodes={[{ ...reason, isWrapped }, after]} onToggle={() => undefined} />
  );
  const view = render(draw(true));
  expect(screen.getByRole('treeitem', { name: /lies on tape/ }).style.height).toBe('');
  const place = () => screen.getByRole('treeitem', { name: 'a.txt' }).style.transform;
  await waitFor(() => expect(place()).toBe('translateY(66px)'));
  view.rerender(draw(false));
  expect(place()).toBe('translateY(28px)');
});
