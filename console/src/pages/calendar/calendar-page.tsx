import { today } from '../../app/days.ts';
import { QuickAdd } from '../../tasks/quick-add.tsx';
import { texts } from '../../texts.ts';
import { DisplayButton } from '../display-button.tsx';
import { Calendar } from './calendar.tsx';

export const CalendarPage = () => (
  <>
    <div class="heading">
      <h1>{texts.calendar}</h1>
      <DisplayButton offers={['completed']} />
    </div>
    <QuickAdd defaults={{ dueDate: today.value }} />
    <Calendar defaults={{}} />
  </>
);
