export const QUEUE_DASHBOARD_PATH = '/admin/queues';
export const QUEUE_DASHBOARD_ASSETS = `${QUEUE_DASHBOARD_PATH}/static/`;
