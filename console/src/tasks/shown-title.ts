import { type ComponentChildren, createContext } from 'preact';

/** Renders the title of a task. The search marks matches in it. */
export const ShownTitle = createContext((title: string): ComponentChildren => title);
