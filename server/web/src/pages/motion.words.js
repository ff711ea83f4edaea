// Words of what moves arms: orders, their queues, transfers.
import { extend } from '../words.js'

extend({
  start: ['START: the arm moves', '启动：手臂将运动'],
  hold: ['Hold', '暂停'],
  resume: ['Resume', '继续'],
  history: ['What it went through', '状态历史'],
  motion_missing: ['This key may not move this controller\'s arm.', '此密钥不允许驱动该控制器的手臂。'],
  'state.accepted': ['accepted', '已接受'],
  'state.planning': ['planning', '规划中'],
  'state.held': ['held', '已暂停'],
  controller: ['Controller', '控制器'],
  job_order: ['Job order', '作业订单'],
  order: ['Order', '订单'],
  created_by: ['Created by', '创建者'],
  finished_at: ['Finished', '结束时间'],
  priority: ['Priority', '优先级'],
  order_cancel: ['Cancel the order', '取消订单'],
  order_new: ['New order …', '新建订单……'],
  order_start: ['Begins', '开始方式'],
  'order_start.on_request': ['on request', '按请求'],
  'order_start.automatic': ['by itself', '自动'],
  order_left: ['{seconds} s left', '剩余 {seconds} s'],
  queue_position: ['No. {position} in the queue', '队列第 {position} 位'],
})
