import { session } from '../app/session.ts';
import { moveByKey } from '../tasks/lift.ts';
import { deselectAll } from '../tasks/selection.ts';
import { type ActionName, actions, currentRow, runAction } from './actions.ts';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');

/** On a keyboard that is not Latin, the position of the key decides, unless its character is a shortcut. */
function characterOf({ key, code, shiftKey }: KeyboardEvent): string {
  const [, physicalKey] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  const usesCharacter = shiftKey || key in actions || /^\p{Script=Latin}+$/u.test(key);
  return usesCharacter ? key : (physicalKey?.toLowerCase() ?? key);
}

/** The time of the last `g`. */
let goPressedAt = Number.NEGATIVE_INFINITY;
const goTimeoutMs = 1500;

const isAction = (name: string): name is ActionName => name in actions;

/** Returns the action of Ctrl or Cmd with a key. */
function heldAction(event: KeyboardEvent): ActionName | undefined {
  const character = characterOf(event).toLowerCase();
  if (event.shiftKey || event.altKey) return undefined;
  if (character === 'k') return 'Ctrl K';
  // Fields have their own undo.
  return character === 'z' && !isTyping(event.target) ? 'Ctrl Z' : undefined;
}

function pressedAction(event: KeyboardEvent): string {
  const isGo = event.timeStamp - goPressedAt < goTimeoutMs;
  const character = characterOf(event);
  goPressedAt = character === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
  if (event.key !== 'Enter') return isGo ? `g ${character}` : character;
  return event.target instanceof Element && event.target.matches('[data-task]') ? 'Enter' : '';
}

function onKeyDown(event: KeyboardEvent): void {
  if (session.value.state !== 'signed in' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  let name: string | undefined;
  // On some keyboards, brackets need AltGr.
  const isPlain = event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey);
  if (event.ctrlKey || event.metaKey) name = isPlain ? undefined : heldAction(event);
  if (isPlain && !isTyping(event.target)) {
    const isControl = event.target instanceof Element && event.target.matches('button, input, summary');
    if (moveByKey(event, isControl ? undefined : currentRow())) return event.preventDefault();
    name = pressedAction(event);
    if (name === 'Escape') return deselectAll();
  }
  if (name === undefined || !isAction(name)) return;
  event.preventDefault();
  runAction(name);
}

/** The code of keys that an input method handles. Safari reports such a key after the composition. */
const inputMethodCode = 229;

/** Hides the keys of a composition from all handlers. Enter then submits nothing. */
function hideCompositionKeys(event: KeyboardEvent): void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Safari has no other sign
  const isHandledByInputMethod = event.keyCode === inputMethodCode;
  if (!event.isComposing && !isHandledByInputMethod) return;
  event.stopImmediatePropagation();
  if (!isHandledByInputMethod && ['Enter', 'Escape'].includes(event.key)) event.preventDefault();
}

export function followKeys(): void {
  addEventListener('keydown', hideCompositionKeys, true);
  document.addEventListener('keydown', onKeyDown);
}
