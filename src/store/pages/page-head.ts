import type { PageHead } from './page-table.ts'

/** Omits the empty fields of a page that is in no navigation. */
export function toPageHead(row: Omit<PageHead, 'rowId'>, rowId: bigint): PageHead {
  const { url, path, title, markup, nav_position: position, nav_section, toctree } = row
  const nav = {
    ...((position ?? -1) < 0 ? {} : { nav_position: position }),
    ...(nav_section ? { nav_section } : {}),
    ...(toctree ? { toctree } : {}),
  }
  return { url, path, title, markup, ...nav, rowId }
}
