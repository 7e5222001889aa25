"""The GraphQL that is asked of GitHub: what takes one call there and many by REST, and what REST does not have."""

from collections.abc import Iterable
from typing import Final

OPENING: Final = """
query Opening($owner: String!, $name: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    id databaseId nameWithOwner url isArchived isPrivate
    defaultBranchRef { name }
    mergeCommitAllowed rebaseMergeAllowed squashMergeAllowed autoMergeAllowed
  }
}
"""
"""Who we are, and which repository this is."""

LABELS: Final = """
query Labels($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    labels(first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}
"""

_PULL_FIELDS: Final = """
fragment Seen on PullRequest {
  id number title body state isDraft url createdAt updatedAt mergedAt
  author { __typename login }
  headRefName headRefOid baseRefName
  isCrossRepository
  mergeable mergeStateStatus reviewDecision
  mergeCommit { oid }
  autoMergeRequest { enabledAt }
  mergeQueueEntry { state }
  labels(first: 100) { nodes { name } }
  reviews(last: 50, states: [APPROVED]) { nodes { submittedAt } }
  commits(last: 1) {
    nodes {
      commit {
        oid
        statusCheckRollup {
          contexts(first: 100) {
            nodes {
              __typename
              ... on CheckRun { name status conclusion title summary text }
              ... on StatusContext { context state }
            }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    }
  }
}
"""


def pulls_query(numbers: Iterable[int]) -> str:
    """Ask for several pull requests at once, each under the name `pr<number>`."""
    asked = "\n    ".join(f"pr{number}: pullRequest(number: {number}) {{ ...Seen }}" for number in numbers)
    head = "query Pulls($owner: String!, $name: String!) {\n  repository(owner: $owner, name: $name) {\n    "
    return f"{head}{asked}\n  }}\n}}\n{_PULL_FIELDS}"


CONTEXTS: Final = """
query Contexts($owner: String!, $name: String!, $number: Int!, $after: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      commits(last: 1) {
        nodes {
          commit {
            statusCheckRollup {
              contexts(first: 100, after: $after) {
                nodes {
                  __typename
                  ... on CheckRun { name status conclusion title summary text }
                  ... on StatusContext { context state }
                }
                pageInfo { hasNextPage endCursor }
              }
            }
          }
        }
      }
    }
  }
}
"""
"""More checks of one head than a page holds."""

ENABLE_AUTO_MERGE: Final = """
mutation EnableAutoMerge($id: ID!, $method: PullRequestMergeMethod!, $head: GitObjectID!) {
  enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: $method, expectedHeadOid: $head}) {
    pullRequest { number }
  }
}
"""
ENQUEUE: Final = """
mutation Enqueue($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { state } }
}
"""
MARK_READY: Final = """
mutation MarkReady($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { number isDraft } }
}
"""
CONVERT_TO_DRAFT: Final = """
mutation ConvertToDraft($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { number isDraft } }
}
"""
