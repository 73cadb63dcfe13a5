import { Component, type ReactNode } from 'react';
import { t } from '../texts/index.ts';
import { FailedState } from './states.tsx';
import { messageOf } from './text.ts';

interface Props {
  /** What is drawn: another one begins without the failure of the one before. */
  readonly of: unknown;
  readonly children: ReactNode;
}

interface State {
  readonly of: unknown;
  readonly failure: { readonly reason: string; readonly since: number } | null;
}

/** Whatever a part of the window meets while it is drawn, the rest of the window stays, and the part says that it failed. */
export class PartBoundary extends Component<Props, State> {
  override state: State = { of: this.props.of, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { reason: messageOf(error), since: Date.now() } };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { of, failure: null };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return (
      <FailedState
        what={t('ui.partFailed')}
        reason={failure.reason}
        since={failure.since}
        onRetry={() => this.setState({ failure: null })}
      />
    );
  }
}
