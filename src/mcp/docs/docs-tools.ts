import { fullContent } from './content-tool.ts'
import { listLibraries } from './list-tool.ts'
import { searchDocuments } from './search-tool.ts'
import type { ToolContext } from './docs-tool.ts'
import type { Tool } from '../tool.ts'

/** The tools that read documentation. server.ts combines them with the tables of other tools. */
export const docsTools: readonly Tool<ToolContext>[] = [searchDocuments, listLibraries, fullContent]
