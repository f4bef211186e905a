// Registers the plugin `columns` of Pothos.
import './columns-plugin.ts';
export { connectionOf, nodePaths, schemaToExecute } from './compiled-query.ts';
export {
  type CompiledSelection,
  compileFragment,
  type FragmentDocument,
  fragmentsOf,
  resolvedFrom,
  resolvedFromColumn,
  type RowReader,
  rowReader,
} from './compiled-selection.ts';
export { type CompiledStatements, compiledStatements } from './compiled-statements.ts';
export { column, fromItem, orderByClause, resultOf, type Where, whereClause } from './conditions.ts';
export { columnName, type Datamodel, fromJson, modelsOf } from './model.ts';
export { nestedReads, type Selection } from './read.ts';
