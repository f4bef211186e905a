import { useRef, useState } from 'preact/hooks';
import { TaskgateError } from 'taskgate-client';
import { errorText } from '../app/notice.ts';

export interface Action<Arguments extends readonly unknown[]> {
  readonly run: (...args: Arguments) => Promise<void>;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  readonly code: string | undefined;
  /** Name of the field that the service refuses. */
  readonly field: string | undefined;
}

/** Ignores calls while `action` runs. */
export function useAction<Arguments extends readonly unknown[]>(
  action: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const isRunning = useRef(false);
  const run = async (...args: Arguments) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true });
    try {
      await action(...args);
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    } finally {
      isRunning.current = false;
    }
  };
  const { isBusy, error } = state;
  const refusal = error instanceof TaskgateError ? error : undefined;
  return {
    run,
    isBusy,
    problem: error === undefined ? undefined : errorText(error),
    code: refusal?.code,
    field: refusal?.errors[0]?.path.split('.').at(-1),
  };
}
