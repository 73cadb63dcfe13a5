import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call } from '../../bridge.ts';
import { NewButton } from '../../shell/new-button.tsx';
import { useRights } from '../../shell/rights.ts';
import { tellFailure } from '../../shell/tell.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  EmptyState,
  FailedState,
  LoadingRows,
  nameInText,
  StaleBar,
  StatusBadge,
  showHidden,
  Tree,
} from '../../ui/index.ts';
import { loadBoard, moveKey, moves } from './board-data.ts';
import { placeAt } from './board-rules.ts';
import { LibraryDetails } from './library-details.tsx';
import { LibraryTasks } from './library-tasks.tsx';
import { treeLines } from './library-tree.ts';
import { libraryMeaning, statusWord } from './library-words.ts';
import { openAddLibrary } from './open-add-library.tsx';
import { PlaceDetails } from './place-details.tsx';
import { SlotBoard } from './slot-board.tsx';
import { syncLibrary } from './sync-library.tsx';
import './tape.css';

const treeWatch = { kinds: ['library', 'pool', 'configuration'], pollMs: 30_000, settleMs: 500 } as const;
// Each look asks the robot, so tasks, which tell often, are not waited for.
const boardWatch = { kinds: ['library'], pollMs: 10_000, settleMs: 300 } as const;

/** The tree of libraries, and what stands in the places of the chosen one. */
export function BoardScreen(props: {
  readonly connectionId: string;
  /** Null: the first one. */
  readonly libraryId: number | null;
  readonly onChoose: (libraryId: number) => void;
}) {
  const { connectionId } = props;
  const loadTree = useMemo(
    () => (signal: AbortSignal) => call(connectionId, 'tapeLibraries.tree', { body: {} }, signal),
    [connectionId],
  );
  const tree = useAnswer(connectionId, loadTree, treeWatch);
  const libraries = tree.value?.libraries ?? [];
  const chosen = libraries.find(({ library }) => library.id === props.libraryId) ?? libraries[0];
  if (tree.value === null && tree.problem !== null) {
    return (
      <FailedState
        what={t('tapeBoard.cannotShow')}
        reason={tree.problem.reason}
        since={tree.problem.since}
        onRetry={tree.reload}
      />
    );
  }
  if (tree.value === null) return <LoadingRows />;
  if (chosen === undefined)
    return (
      <EmptyState
        text={t('tapeBoard.noLibrary')}
        action={
          <NewButton
            connectionId={connectionId}
            permission="tape_libraries.write"
            label={t('tapeLibraries.newLibrary')}
            open={() => openAddLibrary(connectionId)}
          />
        }
      />
    );
  return (
    <LibraryOnBoard
      key={chosen.library.id}
      connectionId={connectionId}
      library={chosen.library}
      libraries={libraries}
      onChoose={props.onChoose}
      onChanged={tree.reload}
    />
  );
}

function LibraryOnBoard(props: {
  readonly connectionId: string;
  readonly library: TapeLibrary;
  readonly libraries: Parameters<typeof treeLines>[0];
  readonly onChoose: (libraryId: number) => void;
  readonly onChanged: () => void;
}) {
  const { connectionId, library } = props;
  const load = useMemo(
    () => (signal: AbortSignal) => loadBoard(connectionId, library.id, signal),
    [connectionId, library.id],
  );
  const answer = useAnswer(connectionId, load, boardWatch);
  const { value } = answer;
  const move = useStore(moves, ({ running }) => running[moveKey(connectionId, library.id)]);
  const [selected, setSelected] = useState<number | null>(null);
  const [node, setNode] = useState(`library ${library.id}`);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  // All is open but the single places, of which there may be thousands.
  const isOpen = (id: string) => (/^(storage|mail) /.test(id) ? opened.has(id) : !closed.has(id));
  const toggle = (id: string) => {
    const [held, set] = /^(storage|mail) /.test(id) ? [opened, setOpened] : [closed, setClosed];
    const next = new Set(held);
    if (!next.delete(id)) next.add(id);
    set(next);
  };
  const lines = treeLines(props.libraries, value, isOpen);
  const choose = (id: string) => {
    setNode(id);
    const target = lines.find((line) => line.id === id)?.target;
    if (target === undefined || target.kind === 'server') return;
    if (target.libraryId !== library.id) return props.onChoose(target.libraryId);
    setSelected(target.kind === 'place' ? target.address : null);
  };
  const place = value === null ? undefined : placeAt(value.board, selected);
  const whyNoSync =
    useRights(connectionId)('tape_libraries.run') ??
    (move !== undefined && move.problem === null ? t('tapeBoard.robotMoves') : null);
  const status = value?.library.status ?? library.status;
  const sync = () =>
    tellFailure(
      syncLibrary(connectionId, library).finally(() => {
        answer.reload();
        props.onChanged();
      }),
    );
  return (
    <>
      <div className="toolbar">
        <h1 className="board-title" title={showHidden(`${library.vendor} ${library.model}`)}>
          {nameInText(`${library.vendor} ${library.model}`)}
        </h1>
        <StatusBadge meaning={libraryMeaning(status)} word={statusWord(status)} />
        <span className="caption board-title">
          {t('tapeBoard.poolOf', {
            pool: nameInText(library.pool),
            server: nameInText(library.media_server),
          })}
        </span>
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={t('tapeBoard.actions')}>
          <Button onClick={answer.reload}>{t('tapeBoard.lookAgain')}</Button>
          <Button onClick={sync} disabledBecause={whyNoSync}>
            {t('tapeLibraries.sync.button')}
          </Button>
        </div>
      </div>
      <div className="board-screen">
        <div className="board-side">
          <Tree
            label={t('tapeBoard.treeName')}
            nodes={lines.map((line) => ({
              ...line,
              after: <span className="caption">{showHidden(line.note)}</span>,
            }))}
            selectedId={node}
            onSelect={choose}
            onToggle={toggle}
          />
          <div className="board-about">
            {value !== null && place !== undefined ? (
              <PlaceDetails
                connectionId={connectionId}
                value={value}
                place={place}
                onChanged={answer.reload}
              />
            ) : (
              <LibraryDetails
                connectionId={connectionId}
                library={value?.library ?? library}
                onChanged={answer.reload}
              />
            )}
          </div>
        </div>
        <div className="board-main">
          <LibraryTasks connectionId={connectionId} pool={library.pool} />
          {answer.problem !== null && value !== null && (
            <StaleBar since={answer.problem.since} reason={answer.problem.reason} onRetry={answer.reload} />
          )}
          {value === null && answer.problem === null && <LoadingRows />}
          {value === null && answer.problem !== null && (
            <FailedState
              what={t('tapeBoard.robotSilent')}
              reason={answer.problem.reason}
              since={answer.problem.since}
              onRetry={answer.reload}
            />
          )}
          {value !== null && (
            <SlotBoard
              connectionId={connectionId}
              value={value}
              selected={selected}
              onSelect={(address) => {
                setSelected(address);
                setNode(`place ${library.id} ${address}`);
              }}
              onMoved={answer.reload}
            />
          )}
        </div>
      </div>
    </>
  );
}
