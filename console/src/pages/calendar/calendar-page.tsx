import { today } from '../../app/days.ts';
import { QuickAdd } from '../../tasks/quick-add.tsx';
import { texts } from '../../texts.ts';
import { Calendar } from './calendar.tsx';

export const CalendarPage = () => (
  <>
    <h1>{texts.calendar}</h1>
    <QuickAdd defaults={{ dueDate: today.value }} />
    <Calendar defaults={{}} />
  </>
);
