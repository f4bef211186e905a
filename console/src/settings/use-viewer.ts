import { useState } from 'preact/hooks';
import { useLoading } from '../app/replica.ts';
import { request } from '../app/session.ts';
import { errorText } from '../app/notice.ts';

/** Loads fields that the replica does not hold. @param selection fields of the GraphQL type `User` */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the type of its selection
export function useViewer<Fields>(selection: string) {
  const [viewer, setViewer] = useState<Fields>();
  const [problem, setProblem] = useState<string>();
  const load = async () => {
    try {
      setViewer((await request<{ viewer: Fields }>(`{ viewer { ${selection} } }`)).viewer);
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  useLoading(load);
  return { viewer, problem, load };
}
