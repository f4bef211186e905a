import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export const Button = ({
  text,
  icon,
  ...attributes
}: ButtonHTMLAttributes & { text: string; icon?: IconName | undefined }) => (
  <button type="button" {...attributes}>
    {icon && <Icon name={icon} />}
    {text}
  </button>
);
