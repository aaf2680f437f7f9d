import { OgError } from '../../platform/error.ts'
import { folderPaths } from '../local.ts'
import { findInstalled, type InstalledPackage } from '../package/installed.ts'
import { packageKey, type PackageName } from '../package/package-name.ts'
import type { SourceChoice } from './choice.ts'
import { addReadme, findDocsFolder } from './docs-folder.ts'
import type { PackageOptions } from './package-choice.ts'

/**
 * Chooses the documentation of a package in the folder in which it is installed; null if this
 * version is not installed.
 */
export async function chooseInstalled(
  packageName: PackageName,
  options: Pick<PackageOptions, 'surroundings' | 'reach'>,
): Promise<SourceChoice | null> {
  const found = await findInstalled(packageName, options)
  if (found === null) return null
  const { folder: path, version } = found
  const { docsPaths, how } = await docsOf(found)
  const source = { kind: 'local_path' as const, path, docsPaths, package: packageKey(packageName) }
  return { source, how: `${path}: ${how}`, version, release: version, rejected: [] }
}

async function docsOf({
  folder,
  metadata,
}: InstalledPackage): Promise<{ docsPaths: string[]; how: string }> {
  if (metadata !== undefined) return { docsPaths: [metadata], how: metadata }
  return addReadme(findDocsFolder(await folderPaths(folder), {}))
}

/** @throws OgError */
export function notInstalled(packageName: PackageName): OgError {
  const { version } = packageName
  const what = `${packageKey(packageName)} ${version ?? ''}`.trim()
  return new OgError(`Cannot find ${what} among the installed packages`, {
    hint: 'install it with its package manager, or leave out --installed',
  })
}
