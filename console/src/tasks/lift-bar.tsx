import { useEditableProjects } from '../app/roles.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { lifted, liftedKeys, moveLifted } from './lift.ts';

const arrows = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] as const;

/** For touch, and for users without the means to drag (WCAG 2.5.7). */
export function LiftBar() {
  const editableProjects = useEditableProjects();
  if (!lifted.value) return null;
  const { title, slot } = lifted.value;
  return (
    <div class="toolbar lift-bar" role="toolbar" aria-label={texts.moveOf(title)}>
      <span class="place">{slot?.text ?? texts.moveOf(title)}</span>
      <span class="arrows">
        {arrows.map((key) => (
          <IconButton key={key} icon={key} label={texts.arrows[key]} onClick={liftedKeys[key]} />
        ))}
      </span>
      <MenuButton
        text={texts.toProject}
        items={() =>
          editableProjects.map(({ id, name, isDefault }) => ({
            text: isDefault ? texts.inbox : name,
            choose: () => moveLifted({ input: { projectId: id, parentId: null } }, name),
          }))
        }
      />
      <Button text={texts.putBackHere} onClick={liftedKeys['Escape']} />
      <Button text={texts.drop} class="primary" onClick={liftedKeys['Enter']} />
    </div>
  );
}
