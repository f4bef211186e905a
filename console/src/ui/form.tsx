import type {
  AllHTMLAttributes,
  ComponentChildren,
  ComponentProps,
  InputHTMLAttributes,
  Ref,
  TargetedSubmitEvent,
} from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

type Attributes = Omit<AllHTMLAttributes<HTMLInputElement>, 'label' | 'name' | 'role' | 'type'> & {
  type?: 'text' | 'email' | 'password' | 'date' | 'time' | 'number' | 'file' | 'color';
};

export function Field({
  label,
  hint,
  ...attributes
}: Attributes & { label: string; name?: string; hint?: string | undefined; ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  useLayoutEffect(() => {
    // Browsers apply `autofocus` only in a new page or dialog.
    if (attributes.autofocus) document.getElementById(id)?.focus();
  }, []);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...(attributes as InputHTMLAttributes)}
      />
      {hint !== undefined && (
        <p class="hint" role={attributes['aria-invalid'] ? 'alert' : undefined} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type PasswordProps = ComponentProps<typeof Field> & { autocomplete: 'current-password' | 'new-password' };

export const PasswordField = (props: PasswordProps) => <Field type="password" required {...props} />;

interface ChoiceProps<Value extends string> {
  label: string;
  /** By the values, in order. */
  texts: Readonly<Record<Value, string>>;
  value: Value;
  onChoose: (value: Value) => void;
}

const valuesOf = <Value extends string>(texts: Readonly<Record<Value, string>>) => Object.keys(texts) as Value[];

export function Choice<Value extends string>({ label, texts, value, onChoose }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as Value)}>
        {valuesOf(texts).map((each) => (
          <option key={each} value={each} selected={each === value}>
            {texts[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Icons take the place of the visible label. */
export const Radios = <Value extends string>({
  label,
  texts,
  icons,
  value,
  onChoose,
}: ChoiceProps<Value> & { icons?: Readonly<Record<Value, IconName>> }) => (
  <div class="field">
    {!icons && <p class="hint">{label}</p>}
    <fieldset class="radios" role="radiogroup" aria-label={label}>
      {valuesOf(texts).map((each) => (
        <label key={each}>
          <input type="radio" name={label} checked={each === value} onChange={() => onChoose(each)} />
          {icons && <Icon name={icons[each]} />}
          {texts[each]}
        </label>
      ))}
    </fieldset>
  </div>
);

export function Check({
  label,
  hint,
  isOn,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Screen readers announce a text that appears in it. */
export const Problem = ({ children }: { children: ComponentChildren }) => (
  <p role="alert" class="problem">
    {children}
  </p>
);

/** By the names of the inputs. */
export type Values = Readonly<Record<string, string>>;

/** Passes the values to `onSubmit` by input names. */
export function Form({
  onSubmit,
  problem,
  children,
  ...attributes
}: {
  onSubmit: (values: Values, form: HTMLFormElement) => unknown;
  problem?: string | undefined;
  children: ComponentChildren;
  class?: string;
  'aria-label'?: string;
}) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    onSubmit(Object.fromEntries(new FormData(form)) as Values, form);
  };
  return (
    <form onSubmit={submit} {...attributes}>
      {children}
      <Problem>{problem}</Problem>
    </form>
  );
}

export const Submit = ({ isBusy, children }: { isBusy?: boolean; children: string }) => (
  <button class="primary" aria-disabled={isBusy}>
    {children}
  </button>
);
