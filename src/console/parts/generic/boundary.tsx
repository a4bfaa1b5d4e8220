import { Alert, Button, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { t } from '../../words/sentences.tsx'

interface BoundaryProps {
  readonly children: ReactNode
}

/**
 * Shows a Reload button if a view fails. A view fails if it throws an error, or if its script is still missing after
 * `loadView` reloaded the page.
 */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Alert color="red" role="alert" title={t('This page cannot be shown')}>
        <Text size="sm" mb="sm">
          {t('The store may have been updated since the page was opened.')}
        </Text>
        <Button size="xs" onClick={() => location.reload()}>
          {t('Reload')}
        </Button>
      </Alert>
    )
  }
}
