// The page and the service are of one origin, so that the session's cookie goes along.
const target = process.env.TASKGATE_URL || 'http://127.0.0.1:3000';
const proxy = { '/api': { target }, '/graphql': { target, ws: true } };

export default { server: { proxy }, preview: { proxy } };
