import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { findInstalled, type InstalledPackage } from '../package/installed.ts'
import { packageKey, type PackageName } from '../../version/package-name.ts'
import type { SourceChoice } from './choice.ts'
import { addReadme, findDocsFolder } from './docs-folder.ts'
import type { PackageOptions } from './package-choice.ts'
import { folderPaths } from '../folders.ts'

/** Chooses the documentation in an installed package's folder, or returns null. */
export async function chooseInstalled(
  packageName: PackageName,
  options: Pick<PackageOptions, 'surroundings' | 'reach'>,
): Promise<SourceChoice | null> {
  const installed = await findInstalled(packageName, options)
  if (installed === null) return null
  const { folder: path, version, archive } = installed
  if (archive !== undefined) return fromArchive(join(path, archive), { packageName, version })
  const { docsPaths, how } = await docsOf(installed)
  const source = { kind: 'local_path' as const, path, docsPaths, package: packageKey(packageName) }
  return { source, how: `${path}: ${how}`, version, release: version, rejected: [] }
}

function fromArchive(
  url: string,
  { packageName, version }: { packageName: PackageName; version: string },
): SourceChoice | null {
  if (!existsSync(url)) return null
  const source = { kind: 'archive' as const, url, docsPaths: [], package: packageKey(packageName) }
  return { source, how: url, version, release: version, rejected: [] }
}

async function docsOf({
  folder,
  metadata,
}: InstalledPackage): Promise<{ docsPaths: string[]; how: string }> {
  if (metadata !== undefined) return { docsPaths: [metadata], how: metadata }
  return addReadme(findDocsFolder(await folderPaths(folder), {}))
}

export function notInstalled(packageName: PackageName): OgError {
  const { version } = packageName
  const what = `${packageKey(packageName)} ${version ?? ''}`.trim()
  return new OgError(`Cannot find ${what} among the installed packages`, {
    hint: 'install it with its package manager, or leave out --installed',
  })
}
