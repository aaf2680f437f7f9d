/** The sandbox process's jobs, which handle untrusted text (platform/sandbox). */
import { serveSandbox } from '../../platform/sandbox/sandbox-child.ts'
import { showPage } from '../../page/show/show-page.ts'
import { parsers } from '../../source/page-parsers.ts'
import { cutPage } from './cut-page.ts'

serveSandbox({ ...parsers, cut: cutPage, show: showPage })
