// Assigns open tasks of nobody to the member with the fewest tasks, up to 500 in a run, and says so in a comment. Run it as often as you like:
// TASKGATE_TOKEN=tg_… node bot/main.js
import { createClient } from 'taskgate-client';

const { TASKGATE_URL, TASKGATE_TOKEN: token } = process.env;
const client = createClient({ url: TASKGATE_URL || 'http://127.0.0.1:3000', token });

const { viewer, workspaces, assigned, unassigned } = await client.graphql(`{
  viewer { id }
  workspaces { id members { id } }
  assigned: tasks(first: 500, filter: { completed: false, assigned: true }) { nodes { assigneeIds } }
  unassigned: tasks(first: 500, filter: { completed: false, assigned: false }) {
    nodes { id title project { workspaceId } }
  }
}`);

const counts = new Map();
const countOf = (id) => counts.get(id) ?? 0;
for (const id of assigned.nodes.flatMap(({ assigneeIds }) => assigneeIds)) counts.set(id, countOf(id) + 1);

// One operation, which is undone as a whole.
const assign = `mutation ($id: ID!, $member: ID!, $text: String!) {
  updateTask(id: $id, input: { addAssigneeIds: [$member] }) { id }
  createComment(taskId: $id, text: $text) { id }
}`;
for (const { id, title, project } of unassigned.nodes) {
  const { members } = workspaces.find((workspace) => workspace.id === project.workspaceId) ?? { members: [viewer] };
  const [{ id: member }] = members.toSorted((a, b) => countOf(a.id) - countOf(b.id));
  counts.set(member, countOf(member) + 1);
  await client.graphql(assign, { id, member, text: `Nobody had this task. It is yours, @${member}.` });
  console.log(`assigned: ${title}`);
}
