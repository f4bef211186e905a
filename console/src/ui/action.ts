import { useRef, useState } from 'preact/hooks';
import { TaskgateError } from 'taskgate-client';
import { textOf } from '../app/notice.ts';

/** Something that a button does, and takes a while or fails. */
export interface Action<Given extends readonly unknown[]> {
  readonly run: (...given: Given) => Promise<void>;
  readonly isBusy: boolean;
  /** What went wrong the last time. */
  readonly problem: string | undefined;
  /** Code of the error. */
  readonly code: string | undefined;
}

/** @param act what is done; it is not begun again while it runs */
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
