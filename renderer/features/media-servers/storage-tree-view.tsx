import { DetailsPage, useListFocus } from '../../shell/details-page.tsx';
import { DetailsPanel } from '../../shell/details-panel.tsx';
import { useShownObject } from '../../shell/shown-view.ts';
import { textsOf } from '../../texts/index.ts';
import { EmptyState, FailedState, LoadingRows, StaleBar, Tree } from '../../ui/index.ts';
import { BranchDetails, BranchWay } from './branch-details.tsx';
import { treeLines } from './storage-tree-lines.tsx';
import { type StorageTree, useStorageTree } from './use-storage-tree.ts';

const words = textsOf('mediaServers');
/** In the address of a line. */
const listName = 'Storage tree';

/** Media servers, their pools and where these keep their copies. */
export function StorageTreeView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const shown = useShownObject(listName);
  const tree = useStorageTree(connectionId, shown.id);
  const main = useListFocus(shown.id !== null);
  if (shown.id !== null) {
    return <BranchPage connectionId={connectionId} tree={tree} onLeave={shown.leave} />;
  }
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
      </div>
      <OutOfDate tree={tree} />
      <div className="content">
        <div className="content-main" ref={main}>
          <Lines tree={tree} onOpen={shown.open} />
        </div>
        {tree.selected !== null && (
          <DetailsPanel onClose={() => tree.select(null)}>
            <BranchDetails branch={tree.selected}>
              <div>
                <BranchWay connectionId={connectionId} branch={tree.selected} />
              </div>
            </BranchDetails>
          </DetailsPanel>
        )}
      </div>
    </>
  );
}

function OutOfDate({ tree }: { readonly tree: StorageTree }) {
  const { problem, value, reload } = tree;
  if (problem === null || value === null) return null;
  return <StaleBar since={problem.since} reason={problem.reason} onRetry={reload} />;
}

function NotShown({ tree }: { readonly tree: StorageTree }) {
  if (tree.problem === null) return <LoadingRows />;
  const { since, reason } = tree.problem;
  return <FailedState what={words.tree.notShown} reason={reason} since={since} onRetry={tree.reload} />;
}

function Lines(props: { readonly tree: StorageTree; readonly onOpen: (id: string) => void }) {
  const { tree } = props;
  if (tree.value === null) return <NotShown tree={tree} />;
  if (tree.value.branches.length === 0) return <EmptyState text={words.none} />;
  return (
    <Tree
      label={words.tree.label}
      nodes={treeLines(tree.value, tree.turned)}
      selectedId={tree.selectedId}
      onSelect={tree.select}
      onToggle={tree.toggle}
      onOpen={props.onOpen}
    />
  );
}

/** The details of a line in place of the tree. */
function BranchPage(props: {
  readonly connectionId: string;
  readonly tree: StorageTree;
  readonly onLeave: () => void;
}) {
  const { connectionId, tree } = props;
  const { selected, isSought } = tree;
  const isGone = selected === null && tree.value !== null && !isSought;
  return (
    <DetailsPage
      title={words.title}
      actionsLabel={words.tree.actions}
      actions={selected !== null && <BranchWay connectionId={connectionId} branch={selected} />}
      onLeave={props.onLeave}
    >
      <OutOfDate tree={tree} />
      {selected !== null && <BranchDetails branch={selected} />}
      {selected === null && isSought && <LoadingRows />}
      {selected === null && tree.value === null && !isSought && <NotShown tree={tree} />}
      {isGone && <EmptyState text={words.tree.gone} />}
    </DetailsPage>
  );
}
