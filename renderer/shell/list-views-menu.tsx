import { Bookmark, BookmarkCheck } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { TableView } from '../../contract/desktop/settings.ts';
import { command, ProblemError } from '../bridge.ts';
import { t, textsOf } from '../texts/index.ts';
import { cutMiddle, type ListStore, type MenuAction, PickMenu, showHidden } from '../ui/index.ts';
import { fullReason, isAsIn, lookOf, nameFault, showLook, shownView, withView } from './list-views.ts';
import { applySettings, openDialog, saveSettings, shell } from './shell-store.ts';
import { type ListMake, makeOfList } from './use-list.ts';

const words = textsOf('shell').views;
const common = textsOf('common');
const none: readonly TableView[] = [];

/** Views of a list: columns, order, search and filters under a name, to come back to. */
export function ListViewsMenu<R>(props: { readonly list: ListStore<R> }) {
  const make = makeOfList(props.list);
  return make === null ? null : <ViewsMenu list={props.list} make={make} key={make.name} />;
}

function ViewsMenu<R>(props: { readonly list: ListStore<R>; readonly make: ListMake }) {
  const { list, make } = props;
  const views = useStore(shell, ({ settings }) => settings.views[make.name] ?? none);
  const query = useStore(list.store, (state) => state.query);
  const columns = useStore(list.store, (state) => state.columns);
  const [chosen, setChosen] = useState<string | null>(null);
  const look = lookOf({ query, columns });
  const shown = shownView(views, chosen, look);

  const keep = async (next: TableView[], name: string | null) => {
    applySettings(await command('settings.set', { views: { [make.name]: next } }));
    setChosen(name);
  };
  const askName = (
    title: string,
    initial: string,
    before: string | null,
    take: (name: string) => Promise<void>,
    summary?: string,
  ) =>
    openDialog({
      kind: 'form',
      form: {
        title,
        submitLabel: common.save,
        ...(summary === undefined ? {} : { summary }),
        fields: [{ name: 'name', label: common.name, type: 'text' }],
        initial: { name: initial },
        submit: async (values) => {
          const name = String(values.name ?? '').trim();
          const fault = nameFault(views, name, before);
          if (fault !== null) {
            throw new ProblemError({
              kind: 'refused',
              message: t('shell.correctMarked'),
              errors: { name: fault },
            });
          }
          await take(name);
        },
      },
    });

  const notShown = shown === undefined ? words.chooseFirst : null;
  const actions: readonly MenuAction[] = [
    {
      id: 'asMade',
      label: words.asMade,
      run: () => {
        setChosen(null);
        showLook(list, { ...make.query, filters: { ...make.query.filters }, columns: [] });
      },
    },
    {
      id: 'save',
      label: words.save,
      disabledBecause: fullReason(views),
      run: () =>
        askName(
          words.saveTitle,
          '',
          null,
          (name) => keep([...views, { name, ...look }], name),
          words.summary,
        ),
    },
    {
      id: 'update',
      label: words.update,
      disabledBecause: notShown ?? (shown !== undefined && isAsIn(shown, look) ? words.same : null),
      run: () => {
        if (shown !== undefined) saveSettings({ views: { [make.name]: withView(views, shown.name, look) } });
      },
    },
    {
      id: 'rename',
      label: words.rename,
      disabledBecause: notShown,
      run: () => {
        if (shown === undefined) return;
        askName(words.renameTitle, shown.name, shown.name, (name) =>
          keep(withView(views, shown.name, { name }), name),
        );
      },
    },
    {
      id: 'remove',
      label: words.remove,
      disabledBecause: notShown,
      run: () => {
        if (shown === undefined) return;
        openDialog({
          kind: 'remove',
          title: words.removeTitle,
          removal: {
            items: [shown.name],
            remove: async () => {
              await keep(
                views.filter((view) => view !== shown),
                null,
              );
              return [];
            },
          },
        });
      },
    },
  ];
  const Icon = shown === undefined ? Bookmark : BookmarkCheck;
  return (
    <PickMenu
      label={shown === undefined ? words.title : t('shell.views.titleOf', { name: showHidden(shown.name) })}
      trigger={<Icon size={16} aria-hidden />}
      chosen={shown?.name ?? null}
      choices={views.map(({ name }) => ({ id: name, label: cutMiddle(showHidden(name), 48) }))}
      onChoose={(name) => {
        const view = views.find((one) => one.name === name);
        if (view === undefined) return;
        setChosen(name);
        showLook(list, view);
      }}
      actions={actions}
    />
  );
}
