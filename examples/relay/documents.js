// Documents of main.js. They are compiled, not run.
import { graphql } from 'relay-runtime';

graphql`
  fragment documents_task on Task {
    id
    title
    completed
  }
`;

graphql`
  query documentsTasksQuery($first: Int!, $after: String) {
    changes {
      cursor
    }
    tasks(first: $first, after: $after) @connection(key: "documents_tasks") {
      edges {
        node {
          ...documents_task @relay(mask: false)
        }
      }
    }
  }
`;

graphql`
  mutation documentsCreateMutation($title: String!, $connections: [ID!]!) {
    createTask(input: { title: $title }) @appendNode(connections: $connections, edgeTypeName: "TaskEdge") {
      ...documents_task @relay(mask: false)
    }
  }
`;

graphql`
  mutation documentsCompleteMutation($id: ID!) {
    updateTask(id: $id, input: { completed: true }) {
      id
      completed
    }
  }
`;

graphql`
  mutation documentsDeleteMutation($id: ID!, $connections: [ID!]!) {
    deleteTask(id: $id) @deleteEdge(connections: $connections)
  }
`;

graphql`
  subscription documentsChangesSubscription($after: String) {
    taskChanges(after: $after) {
      cursor
      kind
      taskId
      task {
        ...documents_task @relay(mask: false)
      }
    }
  }
`;
