import type { ButtonHTMLAttributes } from 'preact';

/** Outlines in a square of 16 by 16. */
const shapes = {
  ArrowDown: 'M8 3v10M4 9l4 4 4-4',
  ArrowLeft: 'M13 8H3M7 4L3 8l4 4',
  ArrowRight: 'M3 8h10M9 4l4 4-4 4',
  ArrowUp: 'M8 13V3M4 7l4-4 4 4',
  account: 'M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM2.8 13.6c.6-2.4 2.6-3.6 5.2-3.6s4.6 1.2 5.2 3.6',
  bell: 'M3.5 11.5c1-1 1.2-2 1.2-4.2a3.3 3.3 0 0 1 6.6 0c0 2.2.2 3.2 1.2 4.2zM6.6 13.6a1.6 1.6 0 0 0 2.8 0',
  board: 'M2.5 3h3v10h-3zM6.6 3h3v7h-3zM10.6 3h3v5h-3z',
  calendar: 'M2.8 4h10.4v9.2H2.8zM2.8 7h10.4M5.5 2.5V5M10.5 2.5V5',
  check: 'M3.5 8.4l3 3 6-7',
  chevron: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  done: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.4 8.2l1.9 1.9 3.4-4',
  flag: 'M4 14V2.8h8.2l-2 2.9 2 2.9H4',
  inbox: 'M2.5 9h3.2l.8 2h3l.8-2h3.2M2.5 9l1.7-5.5h7.6L13.5 9v4h-11z',
  list: 'M6 4h8M6 8h8M6 12h8M2.5 4h.5M2.5 8h.5M2.5 12h.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  month: 'M2.8 3h10.4v10.2H2.8zM2.8 6.4h10.4M2.8 9.8h10.4M6.3 6.4v6.8M9.7 6.4v6.8',
  move: 'M8 2.2v11.6M2.2 8h11.6M6 4.2l2-2 2 2M6 11.8l2 2 2-2M4.2 6l-2 2 2 2M11.8 6l2 2-2 2',
  note: 'M3 4.5h10M3 8h10M3 11.5h6',
  people:
    'M6 7.6a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 12.8c.5-2.1 2.1-3.2 4.2-3.2s3.7 1.1 4.2 3.2M10.5 3.2a2.3 2.3 0 0 1 0 4.2M12 9.9c1.2.5 2 1.5 2.3 2.9',
  plus: 'M8 3v10M3 8h10',
  project: 'M8 10.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2Z',
  repeat:
    'M3 7.5V6.2c0-1 .8-1.7 1.7-1.7H13M10.8 2.2 13 4.5l-2.2 2.2M13 8.5v1.3c0 1-.8 1.7-1.7 1.7H3M5.2 13.8 3 11.5l2.2-2.2',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4l3.1 3.1',
  sliders: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M8.5 3v3M4.5 10v3',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  tag: 'M2.8 2.8h4.7l5.7 5.7-4.7 4.7-5.7-5.7zM5.4 5.4h.01',
  trash: 'M3 4.5h10M6.3 4.5V3h3.4v1.5M4.3 4.5l.6 8.7h6.2l.6-8.7',
  wait: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6',
} as const;

export type IconName = keyof typeof shapes;

/** Decorative: the text beside it has the same meaning. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={shapes[name]} />
  </svg>
);

type ButtonProps = ButtonHTMLAttributes & { icon: IconName; label: string; class?: string };

export const IconButton = ({ icon, label, class: name = '', ...attributes }: ButtonProps) => (
  <button type="button" class={`quiet ${name}`.trim()} aria-label={label} {...attributes}>
    <Icon name={icon} />
  </button>
);
