/** The one door of the kit. Nothing in here knows a feature. */
import './tokens.css';
import './base.css';
import './controls.css';
import './data.css';
import './chart/chart.css';

export { Button, type ButtonProps } from './button.tsx';
export { Capped } from './capped.tsx';
export { ChartFigure } from './chart/chart-figure.tsx';
export { type ChartSeries, DayChart } from './chart/day-chart.tsx';
export { HeatGrid, type HeatRow } from './chart/heat-grid.tsx';
export { ColumnHead } from './column-head.tsx';
export { Dialog, type DialogProps } from './dialog.tsx';
export { Disclosure } from './disclosure.tsx';
export { useEdited } from './edited.ts';
export type { Choice } from './field-frame.tsx';
export { Checkbox, CheckGroup, RadioGroup, TextArea, TextField } from './fields.tsx';
export {
  counted,
  fieldServerTime,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatExactBytes,
  formatLocalTime,
  formatRelative,
  formatServerTime,
  formatShortCount,
  formatTimeOfDay,
  setTwelveHours,
  thinDash,
} from './format.ts';
export { DataGrid } from './grid/data-grid.tsx';
export type { Column } from './grid/grid-columns.ts';
export { shortcutKey } from './keys.ts';
export { type Later, LaterPart, later } from './later.tsx';
export {
  neighbour,
  nothingSelected,
  type RowId,
  type Selection,
  selectOne,
  selectRange,
  toggleOne,
  withoutRows,
} from './list/list-selection.ts';
export {
  type ColumnState,
  createListStore,
  type KeptList,
  type ListPageAnswer,
  type ListQuery,
  type ListState,
  type ListStore,
  type LoadState,
  type PageRequest,
  pageSize,
} from './list/list-store.ts';
export { type LogLine, type LogRest, LogView } from './log-view.tsx';
export {
  ChoiceMenu,
  ContextMenu,
  Menu,
  type MenuAction,
  type MenuChoice,
  type MenuPoint,
  PickMenu,
} from './menu.tsx';
export { PartBoundary } from './part-boundary.tsx';
export { PathText } from './path-text.tsx';
export { Progress } from './progress.tsx';
export { SearchBox } from './search-box.tsx';
export { type ChoiceSearch, type FoundChoices, SelectField } from './select-field.tsx';
export { EmptyState, FailedState, IsKnownStale, LoadingRows, StaleBar } from './states.tsx';
export { type Meaning, MeaningIcon, StatusBadge } from './status.tsx';
export { type TabChoice, Tabs } from './tabs.tsx';
export { cutMiddle, messageOf, nameInText, showHidden } from './text.ts';
export { Tree, type TreeNode } from './tree/tree.tsx';
