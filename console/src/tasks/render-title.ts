import { type ComponentChildren, createContext } from 'preact';

/** The search marks matches in titles. */
export const RenderTitle = createContext((title: string): ComponentChildren => title);
