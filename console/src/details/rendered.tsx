import { useModule } from '../ui/lazy.tsx';

const loadMarkdown = () => import('./markdown.ts');

/** A description with its links and its Markdown, or as plain text until the module is here. */
export function Rendered({ text }: { text: string }) {
  const { module } = useModule(loadMarkdown);
  return <div class="rendered">{module ? <module.Markdown text={text} /> : <p dir="auto">{text}</p>}</div>;
}
