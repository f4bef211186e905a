import type { AllHTMLAttributes, ComponentChildren, InputHTMLAttributes, Ref, TargetedSubmitEvent } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';

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
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function Choice({
  label,
  options,
  value,
  onChoose,
}: {
  label: string;
  options: readonly { readonly value: string; readonly text: string }[];
  value: string;
  onChoose: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

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

/** Passes the values to `onSubmit` by input names. */
export function Form({
  onSubmit,
  problem,
  children,
  ...attributes
}: {
  onSubmit: (values: Readonly<Record<string, string>>, form: HTMLFormElement) => unknown;
  problem?: string | undefined;
  children: ComponentChildren;
  class?: string;
  'aria-label'?: string;
}) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    onSubmit(Object.fromEntries(new FormData(form)) as Record<string, string>, form);
  };
  return (
    <form onSubmit={submit} {...attributes}>
      {children}
      <p role="alert" class="problem">
        {problem}
      </p>
    </form>
  );
}
