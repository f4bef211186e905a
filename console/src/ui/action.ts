import { useRef, useState } from 'preact/hooks';
import { TaskgateError } from 'taskgate-client';
import { textOf } from '../app/notice.ts';

export interface Action<Given extends readonly unknown[]> {
  readonly run: (...given: Given) => Promise<void>;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  readonly code: string | undefined;
}

/** Ignores calls while `act` runs. */
export function useAction<Given extends readonly unknown[]>(act: (...given: Given) => Promise<unknown>): Action<Given> {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const isRunning = useRef(false);
  const run = async (...given: Given) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true });
    try {
      await act(...given);
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    } finally {
      isRunning.current = false;
    }
  };
  const { isBusy, error } = state;
  return {
    run,
    isBusy,
    problem: error === undefined ? undefined : textOf(error),
    code: error instanceof TaskgateError ? error.code : undefined,
  };
}
