import { type CSSVariablesResolver, createTheme } from '@mantine/core'
import { t } from './words/sentences.tsx'

/** The settings in which the console differs from the defaults of Mantine. */
export const theme = createTheme({
  primaryColor: 'teal',
  // Text on a filled button needs a contrast of 4.5 to 1.
  primaryShade: 9,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { inherit: true } },
    Badge: { defaultProps: { variant: 'light' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
    // A header would be a second banner of the page.
    ModalHeader: { defaultProps: { component: 'div' } },
    SegmentedControl: { styles: { root: { flexWrap: 'wrap' } } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
  },
})

/** The colours of filled buttons under the pointer. Each colour scheme has its own default, so both override it. */
const filledHover = {
  '--mantine-color-teal-filled-hover': '#066649',
  '--mantine-color-red-filled-hover': '#a51111',
}

/** Colours whose defaults have a contrast below 4.5 to 1 (WCAG 2.2, success criterion 1.4.3). */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {
    '--mantine-primary-color-filled-hover': '#066649',
  },
  light: {
    ...filledHover,
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-yellow-light-color': '#8a4b00',
    '--mantine-color-gray-light-color': colors.gray[8],
    '--mantine-color-red-light-color': '#a51111',
    '--mantine-color-blue-light-color': '#0b5aa0',
  },
  dark: {
    ...filledHover,
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-gray-light-color': colors.gray[4],
  },
})
