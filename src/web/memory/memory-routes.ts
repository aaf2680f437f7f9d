import type { Route } from '../visit.ts'
import { auditRoutes } from './audit-page.ts'
import { backupsRoutes } from './backups-page.ts'
import { entriesRoutes } from './entries-page.ts'
import { entryRoutes } from './entry-page.ts'
import { historyRoutes } from './history-page.ts'
import { relationsRoutes } from './relations-page.ts'
import { writeRoutes } from './write-routes.ts'

/** The views of memory, built on the functions of `src/memory`. */
export const memoryRoutes: readonly Route[] = [
  ...entriesRoutes,
  ...entryRoutes,
  ...writeRoutes,
  ...historyRoutes,
  ...relationsRoutes,
  ...auditRoutes,
  ...backupsRoutes,
]
